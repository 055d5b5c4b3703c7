// The least worker that makes the floor open offline: shell from the cache, rows from the cache and then from the network.
const shell = ['/?sw', ...self.assets]

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open('floor')
      .then((cache) => cache.addAll([...shell, '/rows']))
      .then(() => self.skipWaiting()),
  )
})

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

async function refreshed(request) {
  const cache = await caches.open('floor')
  const kept = await cache.match(request)
  const fresh = fetch(request).then((answer) => {
    if (answer.ok) void cache.put(request, answer.clone())
    return answer
  })
  if (!kept) return fresh
  fresh.catch(() => undefined)
  return kept
}

self.addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url)
  if (pathname === '/rows') event.respondWith(refreshed(event.request))
  else event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)))
})
