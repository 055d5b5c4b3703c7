/** Draws the page, and then brings what no first page waits for. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { isInside } from '#app/ahead.ts'
import { Broken } from '#app/Broken.tsx'
import { startWords } from '#app/i18n.ts'
import { whenIdle } from '#app/idle.ts'
import { observed, watchLine } from '#app/line.ts'
import { AppRoutes, drawable } from '#app/routes.tsx'
import { startTheme } from '#app/theme.ts'
import type { Api } from '#request/result.ts'
import type { Line } from '#state/connection.ts'
import { StoreProvider } from '#state/hooks.ts'
import { makeStore } from '#state/store.ts'

const corridor = () => import('#app/corridor.ts')
const jobs = async () => (await import('#app/jobs.ts')).jobs

function openStore() {
  let first = () => {}
  const answered = new Promise<void>((resolve) => (first = resolve))
  // The line is heard by the store, which is made with the api that hears it.
  let hear: (line: Line) => void = () => undefined
  const ask: Api['ask'] = async (...asked) => (await corridor()).api.ask(...asked).finally(first)
  const api = observed({ ask }, (line) => hear(line))
  const store = makeStore({
    api,
    // Nobody who is signed in carries these along.
    enter: async (credentials) => (await import('#request/sign-in.ts')).signIn((await corridor()).ports, credentials),
    leave: async (discard) => (await import('#request/sign-in.ts')).signOut((await corridor()).ports, discard),
    jobs: {
      again: async (intent) => (await jobs()).again(intent),
      dismiss: async (intent) => (await jobs()).dismiss(intent),
      seen: async (intents) => (await jobs()).seen(intents),
    },
  })
  hear = watchLine(store)
  return { api, store, answered }
}

/** `path`: inside the base. */
export async function start(path: string): Promise<void> {
  startTheme()
  const { api, store, answered } = openStore()
  const ready = drawable(path)
  const watch = async () => (await import('#app/session.ts')).watchSession(store, api, ready)
  // Inside, who is there decides what is shown; outside, a form can be read and filled before the device's database is here.
  if (isInside(path)) void watch()
  await Promise.all([startWords(), isInside(path) ? undefined : ready])

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
  await painted()
  if (!isInside(path)) void watch()
  // Installing the worker fetches the whole shell and must not stand before the page's own files and rows.
  await ready
  if (isInside(path)) await Promise.race([answered, wait(answerMs)])
  await whenIdle()
  const [{ startInstall }, { startWorker }] = await Promise.all([corridor(), import('#app/worker.ts')])
  startInstall()
  startWorker()
}

/** So long the worker waits for the first rows. */
const answerMs = 3_000
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const painted = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
