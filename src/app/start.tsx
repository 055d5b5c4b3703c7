/** Draws the page, and then brings what no first page waits for. */
import { StrictMode, startTransition, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { may } from '#domain/access.ts'
import type { Begun } from '#app/ahead.ts'
import { Broken } from '#app/Broken.tsx'
import { withEarly } from '#app/early.ts'
import { loadWords, startWords } from '#app/i18n.ts'
import { firstPageStands, whenIdle } from '#app/idle.ts'
import { type Hear, observed, watchLine } from '#app/line.ts'
import { fetchLate } from '#app/late-code.ts'
import { Loading } from '#app/Loading.tsx'
import { insidePlaces, placeAt, places } from '#app/paths.ts'
import { AppRoutes, drawable } from '#app/routes.tsx'
import { soon } from '#app/texts.ts'
import { startTheme } from '#app/theme.ts'
import type { Api } from '#request/result.ts'
import { StoreProvider } from '#state/hooks.ts'
import { callerOf } from '#state/session.ts'
import { makeStore, type Store } from '#state/store.ts'
import '#ui/steps.ts'

const corridor = () => import('#app/corridor.ts')
const jobs = async () => (await import('#app/jobs.ts')).jobs

function openStore() {
  let first = () => {}
  const answered = new Promise<void>((resolve) => (first = resolve))
  // The line is heard by the store, which is made with the api that hears it.
  let hear: Hear = async (line) => line
  const ask: Api['ask'] = async (...asked) => (await corridor()).api.ask(...asked).finally(first)
  const { api, early } = withEarly(observed({ ask }, (line) => hear(line)))
  const store = makeStore({
    api,
    // Nobody who is signed in carries these along.
    enter: async (given) => (await import('#request/sign-in.ts')).signIn((await corridor()).ports, given),
    leave: async (discard) => (await import('#request/sign-in.ts')).signOut((await corridor()).ports, discard),
    jobs: {
      again: async (intent) => (await jobs()).again(intent),
      dismiss: async (intent) => (await jobs()).dismiss(intent),
      seen: async (intents) => (await jobs()).seen(intents),
    },
  })
  hear = watchLine(store, async () => (await corridor()).ports)
  return { api, early, store, answered }
}

/** `path`: inside the base. `begun`: null outside, where nobody has to be there. */
export async function start(path: string, begun: Begun | null): Promise<void> {
  startTheme()
  const { api, early, store, answered } = openStore()
  const ready = drawable(path)
  const watch = async () =>
    (await fetchLate(() => import('#app/session.ts'))).watchSession(
      store,
      api,
      Promise.all([ready, begun?.list]).then(nothing),
    )
  // Inside, who is there decides what is shown; outside, a form can be read and filled before the device's database is here.
  if (begun) {
    void watch()
    void askEarly(path, begun, early)
  }
  await startWords()
  const element = document.getElementById('root')
  if (!element) throw new Error('index.html has no element with the id root')
  const root = createRoot(element)
  await (begun ? waitInView(store, root, element.firstChild ? 10 * graceMs : graceMs) : ready)
  let tell = () => {}
  const drawn = new Promise<void>((resolve) => (tell = resolve))
  // As a transition it is drawn in slices, between which the browser comes to its own.
  startTransition(() =>
    root.render(
      <StrictMode>
        <StoreProvider store={store}>
          <BrowserRouter basename="/saas">
            <Broken at="">
              <AppRoutes />
            </Broken>
          </BrowserRouter>
          <Told drawn={tell} />
        </StoreProvider>
      </StrictMode>,
    ),
  )
  await drawn
  await painted()
  void loadWords(...soon)
  if (!begun) void watch()
  // Installing the worker fetches the whole shell and must not stand before the page's own files and rows.
  await ready
  if (begun) await Promise.race([answered, wait(answerMs)])
  firstPageStands()
  await whenIdle()
  const [{ startInstall }, { startWorker }] = await fetchLate(() => Promise.all([corridor(), import('#app/worker.ts')]))
  startInstall()
  startWorker(store)
}

/** What the store says is drawn at once and in one piece, so the page is drawn only when it is known who is there. */
async function waitInView(store: Store, root: Root, ms: number): Promise<void> {
  const timer = setTimeout(() => {
    root.render(
      <StoreProvider store={store}>
        <Loading />
      </StoreProvider>,
    )
  }, ms)
  await sessionKnown(store)
  clearTimeout(timer)
}

/** A transition ends when it can: only the tree itself knows when it is there. */
function Told({ drawn }: { drawn: () => void }) {
  useEffect(drawn, [drawn])
  return null
}

/** A device that holds nothing of the list has it asked for before the page is drawn. */
async function askEarly(path: string, { known, list }: Begun, api: Api): Promise<void> {
  const [who, read] = await Promise.all([known, list])
  const place = placeAt(insidePlaces, path)
  if (!who?.kept || !read || read.here || !place || !may(places[place].who, callerOf(who.kept))) return
  await read.ahead.ask(api, who.kept.company_id, new URLSearchParams(location.search))
}

/** Resolves when it is known who is there, or why it is not. */
const sessionKnown = (store: Store) =>
  new Promise<void>((resolve) => {
    const look = () => {
      const { session } = store.getState()
      if (session.is === 'unknown' && !session.problem) return
      stop()
      resolve()
    }
    const stop = store.subscribe(look)
    look()
  })

/** A page that can be drawn within this needs no view that says it is coming; ten times that, where rows stand there. */
const graceMs = 300
/** So long the worker waits for the first rows. */
const answerMs = 3_000
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const painted = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
const nothing = () => undefined
