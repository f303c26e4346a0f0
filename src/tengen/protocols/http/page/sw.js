// Keeps a copy of the page's own files, so that it opens without a connection. The server's copy wins when it answers.
const CACHE = "tengen-page";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", "./page.js", "./page.css", "./icon.svg"])));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).pathname.startsWith("/api/")) return;
  event.respondWith(
    fetch(request)
      .then((answer) => {
        const copy = answer.clone();
        if (answer.ok) caches.open(CACHE).then((cache) => cache.put(request, copy));
        return answer;
      })
      .catch(() => caches.match(request, { ignoreSearch: true }).then((kept) => kept ?? Response.error())),
  );
});
