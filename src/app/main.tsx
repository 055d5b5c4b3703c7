/** The first script: sends for all that the address asks for, and so has nothing heavy itself. */
import '#app/trusted-types.ts'
import '#ui/tokens.css'
import '#ui/base.css'
import '#ui/display/tag.css'
import '#app/shell/public.css'
import { prefetchPage } from '#app/routes/prefetch.ts'
import { reloadOnce } from '#app/pwa/reload-once.ts'
import { recoverLostWorker } from '#app/pwa/worker-recovery.ts'
import { takeUrlLanguage } from '#app/i18n/locale-files.ts'

// At once: the page may be left before anything else of it is here.
takeUrlLanguage()

recoverLostWorker()
const path = location.pathname.slice(import.meta.env.BASE_URL.length - 1) || '/'
prefetchPage(path)
// The libraries by themselves, so that the browser comes to its own between them and the app.
const code = import(/* chunk: libraries */ '#app/libraries.ts').then(() => import(/* chunk: frame */ '#app/start.tsx'))
void code.then(({ start }) => start(path), loadWhenOnline)

/** Lost on the way before anything stood: nothing is lost by beginning anew. */
function loadWhenOnline(): void {
  const load = () => reloadOnce('build')
  if (navigator.onLine) load()
  else addEventListener('online', load)
}
