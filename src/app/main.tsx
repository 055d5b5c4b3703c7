import '#app/trusted-types.ts'
import '#ui/tokens.css'
import '#ui/base.css'
import '#app/shell/entry.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { Broken } from '#app/Broken.tsx'
import { startWords } from '#app/i18n.ts'
import { observed, watchLine } from '#app/line.ts'
import { AppRoutes, startFor } from '#app/routes.tsx'
import { startTheme } from '#app/theme.ts'
import type { Line } from '#state/connection.ts'
import { StoreProvider } from '#state/hooks.ts'
import { makeStore } from '#state/store.ts'

startTheme()

// On its way from here on, beside the page's own code; whoever asks before it is there waits for it.
const corridor = import('#app/corridor.ts')
// The line is heard by the store, which is made with the api that hears it.
let hear: (line: Line) => void = () => undefined
const api = observed({ ask: async (...asked) => (await corridor).api.ask(...asked) }, (line) => hear(line))
const jobs = async () => (await import('#app/jobs.ts')).jobs
const store = makeStore({
  api,
  // Nobody who is signed in carries these along.
  enter: async (credentials) => (await import('#request/sign-in.ts')).signIn((await corridor).ports, credentials),
  leave: async (discard) => (await import('#request/sign-in.ts')).signOut((await corridor).ports, discard),
  jobs: {
    again: async (intent) => (await jobs()).again(intent),
    dismiss: async (intent) => (await jobs()).dismiss(intent),
    seen: async (intents) => (await jobs()).seen(intents),
  },
})
hear = watchLine(store)

// Both at once: the frame's texts, and whose session it is, which brings the device's database along.
void import('#app/session.ts').then(({ watchSession }) => watchSession(store, api))
startFor(location.pathname.slice(import.meta.env.BASE_URL.length - 1))
await startWords()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <StoreProvider store={store}>
      <BrowserRouter basename="/saas">
        <Broken at="">
          <AppRoutes />
        </Broken>
      </BrowserRouter>
    </StoreProvider>
  </StrictMode>,
)

// After the first paint: installing the worker fetches the whole shell and must not stand before the page's own files.
const { startInstall, startWorker } = await corridor
startInstall()
requestAnimationFrame(() => setTimeout(startWorker))
