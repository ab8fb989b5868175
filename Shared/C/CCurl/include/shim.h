#pragma once

#include <curl/curl.h>

// libcurl's option calls are variadic, which Swift cannot call, so there is one function per type of argument. The
// caller picks the one that fits the option, as in its manual page; libcurl cannot detect a wrong choice.

#pragma clang assume_nonnull begin

CURLcode ccurl_easy_setopt_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value);

/// libcurl copies the text, except for `CURLOPT_POSTFIELDS`, which must outlive the transfer.
CURLcode ccurl_easy_setopt_string(CURL *easy, CURLoption option, const char *_Nullable value);

/// libcurl keeps the pointer; the caller keeps its target alive until the transfer has ended.
CURLcode ccurl_easy_setopt_pointer(CURL *easy, CURLoption option, void *_Nullable value);

/// The caller frees the list, after the transfer.
CURLcode ccurl_easy_setopt_list(CURL *easy, CURLoption option, struct curl_slist *_Nullable value);

/// For `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`.
CURLcode ccurl_easy_setopt_write_callback(CURL *easy, CURLoption option, curl_write_callback _Nullable value);

/// For `CURLOPT_PREREQFUNCTION`.
CURLcode ccurl_easy_setopt_prereq_callback(CURL *easy, CURLoption option, curl_prereq_callback _Nullable value);

/// For `CURLOPT_OPENSOCKETFUNCTION`.
CURLcode ccurl_easy_setopt_opensocket_callback(CURL *easy, CURLoption option, curl_opensocket_callback _Nullable value);

CURLcode ccurl_easy_getinfo_long(CURL *easy, CURLINFO info, long *result);
CURLcode ccurl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *result);

/// The text belongs to the handle and is valid until its next transfer.
CURLcode ccurl_easy_getinfo_string(CURL *easy, CURLINFO info, const char *_Nullable *_Nonnull result);

/// For `CURLINFO_PRIVATE`: the value set as `CURLOPT_PRIVATE`.
CURLcode ccurl_easy_getinfo_pointer(CURL *easy, CURLINFO info, void *_Nullable *_Nonnull result);

CURLMcode ccurl_multi_setopt_long(CURLM *multi, CURLMoption option, long value);

#pragma clang assume_nonnull end
