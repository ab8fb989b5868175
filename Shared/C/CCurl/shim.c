#include "shim.h"

CURLcode ccurl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_write_callback(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_prereq_callback(CURL *easy, CURLoption option, curl_prereq_callback value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_setopt_opensocket_callback(CURL *easy, CURLoption option, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_easy_getinfo_long(CURL *easy, CURLINFO info, long *result) {
    return curl_easy_getinfo(easy, info, result);
}

CURLcode ccurl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *result) {
    return curl_easy_getinfo(easy, info, result);
}

CURLcode ccurl_easy_getinfo_string(CURL *easy, CURLINFO info, const char **result) {
    return curl_easy_getinfo(easy, info, result);
}

CURLcode ccurl_easy_getinfo_pointer(CURL *easy, CURLINFO info, void **result) {
    return curl_easy_getinfo(easy, info, result);
}

CURLMcode ccurl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
