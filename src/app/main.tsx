/** Is the first script of the page. It starts all downloads for the current address, and imports nothing large itself. */
import '#app/trusted-types.ts'
import '#ui/tokens.css'
import '#ui/base.css'
import '#ui/display/tag.css'
import '#app/shell/public.css'
import { prefetchPage } from '#app/routes/prefetch.ts'
import { reloadOnce } from '#app/pwa/reload-once.ts'
import { recoverLostWorker } from '#app/pwa/worker-recovery.ts'
import { takeUrlLanguage } from '#app/i18n/locale-files.ts'

// Runs before everything else, because the user may leave the page before the other code is loaded.
takeUrlLanguage()

recoverLostWorker()
const path = location.pathname.slice(import.meta.env.BASE_URL.length - 1) || '/'
prefetchPage(path)
// The libraries first, so that the browser can handle other work between them and the app.
const code = import(/* chunk: libraries */ '#app/libraries.ts').then(() => import(/* chunk: frame */ '#app/start.tsx'))
void code.then(({ start }) => start(path), loadWhenOnline)

/** Reloads when there is a connection. Called if loading failed before anything was shown, so a reload loses nothing. */
function loadWhenOnline(): void {
  const load = () => reloadOnce('build')
  if (navigator.onLine) load()
  else addEventListener('online', load)
}
