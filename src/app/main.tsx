import '#app/trusted-types.ts'
import '#ui/tokens.css'
import '#ui/base.css'
import '#app/shell/entry.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { Broken } from '#app/Broken.tsx'
import { startWords } from '#app/i18n.ts'
import { startInstall } from '#app/install.ts'
import { observed, watchLine } from '#app/line.ts'
import { AppRoutes } from '#app/routes.tsx'
import { api, ports } from '#app/send.ts'
import { startTheme } from '#app/theme.ts'
import { startWorker } from '#app/worker.ts'
import { signIn, signOut } from '#request/sign-in.ts'
import type { Line } from '#state/connection.ts'
import { StoreProvider } from '#state/hooks.ts'
import { makeStore } from '#state/store.ts'

startTheme()
startInstall()

// The line is heard by the store, which is made with the api that hears it.
let hear: (line: Line) => void = () => undefined
const heard = observed(api, (line) => hear(line))
const store = makeStore({
  api: heard,
  enter: (credentials) => signIn(ports, credentials),
  leave: () => signOut(ports),
})
hear = watchLine(store)

// Both at once: the frame's texts, and whose session it is, which brings the device's database along.
void import('#app/session.ts').then(({ watchSession }) => watchSession(store, heard))
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
requestAnimationFrame(() => setTimeout(startWorker))
