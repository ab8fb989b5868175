importScripts("https://push.example.com/carillon-worker.js");
