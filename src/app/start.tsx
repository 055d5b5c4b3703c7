/** Draws the page, and then brings what no first page waits for. */
import { StrictMode, startTransition, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { isInside, places } from '#app/routes/paths.ts'
import { Broken } from '#app/shell/ErrorBoundary.tsx'
import { chooseLanguage, loadWords, startWords } from '#app/i18n/i18n.ts'
import { firstPageStands, whenIdle } from '#app/browser/idle.ts'
import { type ConnectionListener, observed, tellLine, watchConnection } from '#app/connection/connection-monitor.ts'
import { ignoreComposingKeys } from '#app/browser/composing-keys.ts'
import { hideWhileAway } from '#app/connection/hide-while-away.ts'
import { fetchLate } from '#app/pwa/retry-import.ts'
import { Loading } from '#app/shell/Loading.tsx'
import { fetchAhead } from '#app/routes/prefetch.ts'
import { AppRoutes, drawable } from '#app/routes/routes.tsx'
import { soon } from '#app/i18n/locale-files.ts'
import { recall } from '#app/preferences/preferences.ts'
import { startTheme } from '#app/preferences/theme.ts'
import { trustDocument } from '#app/trusted-types.ts'
import { returnTo } from '#features/accounts/return-to.ts'
import type { Api } from '#request/results.ts'
import { StoreProvider } from '#state/hooks.ts'
import { makeStore, type Store } from '#state/store.ts'
import '#ui/navigation-guard/popstate.ts'
import { keepFocusInLists } from '#ui/overlay/focus-back.ts'

const pipeline = () => import('#app/connection/network-bundle.ts')
const jobs = async () => (await import('#app/connection/job-timer.ts')).jobs
const trails = async () => (await import(/* chunk: trail-device */ '#app/connection/audit-trail.ts')).trails
const packages = async () =>
  (await import(/* chunk: staff-apps */ '#app/connection/packages.ts')).createPackages(trustDocument)

function openStore() {
  let pending = 0
  let isAnswered = false
  // The line is heard by the store, which is made with the api that hears it.
  let hear: ConnectionListener = async (line) => line
  const call: Api['call'] = async (...input) => {
    pending += 1
    try {
      return await (await pipeline()).api.call(...input)
    } finally {
      pending -= 1
      isAnswered = true
    }
  }
  const api = observed({ call }, (line) => hear(line))
  const store = makeStore({
    api,
    // Nobody who is signed in carries these along.
    enter: async (given) => {
      fetchAfterLogin()
      const { signIn } = await import('#request/session/sign-in.ts')
      // Where nobody has chosen on this device the account's own language is taken (D68).
      const hasChosen = recall('portal.language') !== null
      const result = await signIn((await pipeline()).ports, { ...given, language: hasChosen ? given.language : null })
      void tellLine(result, hear)
      if (!hasChosen && result.kind === 'fresh') await chooseLanguage(result.output.user.language)
      return result
    },
    leave: async (discard) => (await import('#request/session/sign-in.ts')).signOut((await pipeline()).ports, discard),
    jobs: {
      again: async (intent) => (await jobs()).again(intent),
      dismiss: async (intent) => (await jobs()).dismiss(intent),
      seen: async (intents) => (await jobs()).seen(intents),
    },
    packages: {
      changeLog: async (id) => (await packages()).changeLog(id),
      send: async (file, options) => (await packages()).send(file, options),
      forget: async (id) => (await packages()).forget(id),
    },
    trails,
  })
  hear = watchConnection(store, async () => (await pipeline()).ports)
  return { api, store, hear, isAtRest: () => isAnswered && pending === 0 }
}

/** `path`: inside the base. Resolves to what is drawn, once all is here. */
export async function start(path: string): Promise<Root> {
  startTheme()
  ignoreComposingKeys(window)
  keepFocusInLists()
  const { api, store, hear, isAtRest } = openStore()
  hideWhileAway(store)
  const ready = drawable(path)
  const watch = async () =>
    (await fetchLate(() => import('#app/connection/session-sync.ts'))).watchSession(store, api, ready)
  // Inside, who is there decides what is shown; outside, a form can be read and filled before the device's database is here.
  const inside = isInside(path)
  if (inside) void watch()
  await startWords()
  const element = document.getElementById('root')
  if (!element) throw new Error('index.html has no element with the id root')
  const root = createRoot(element)
  await (inside ? waitInView(store, root) : ready)
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
  if (!inside) void watch()
  // Installing the worker fetches the whole shell and must not stand before the page's own files and rows.
  await ready
  if (inside) await rowsDrawn(isAtRest)
  firstPageStands()
  await whenIdle()
  const [{ startInstall }, { startWorker }, { nameEnterKeys, keepHintsInside }] = await fetchLate(() =>
    Promise.all([pipeline(), import('#app/pwa/service-worker.ts'), import('#app/shell/late-listeners.ts')]),
  )
  nameEnterKeys()
  keepHintsInside()
  startInstall()
  // A visitors' page from the device has asked nobody: whether the server is there is not known yet.
  if (!inside && navigator.serviceWorker?.controller) void hear('unreachable')
  startWorker(() => void hear('online'))
  if (path === places.login.path) fetchAfterLogin()
  return root
}

/** The page that the login leads to, with the frame: fetched while the form is filled in and the password is checked. */
function fetchAfterLogin(): void {
  const wanted = returnTo(new URLSearchParams(location.search).get('to'))
  fetchAhead(new URL(wanted, location.origin).pathname)
}

/** What the store says is drawn at once and in one piece, so the page is drawn only when it is known who is there. */
async function waitInView(store: Store, root: Root): Promise<void> {
  const timer = setTimeout(() => {
    root.render(
      <StoreProvider store={store}>
        <Loading />
      </StoreProvider>,
    )
  }, graceMs)
  await sessionKnown(store)
  clearTimeout(timer)
}

/** A transition ends when it can: only the tree itself knows when it is there. */
function Told({ drawn }: { drawn: () => void }) {
  useEffect(drawn, [drawn])
  return null
}

/** Resolves when it is known who is there, or why it is not. */
const sessionKnown = (store: Store) =>
  new Promise<void>((resolve) => {
    const look = () => {
      const { session } = store.getState()
      if (session.kind === 'unknown' && !session.problem) return
      stop()
      resolve()
    }
    const stop = store.subscribe(look)
    look()
  })

/** A page that can be drawn within this needs no view that says it is coming. */
const graceMs = 300
/** So long the worker waits for the first rows. */
const answerMs = 6_000
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
/**
 * Resolves once the first responses are here and the page shows no placeholder row, after `answerMs` at the latest. What
 * has been answered is on its way to the device, and from there to the page.
 */
async function rowsDrawn(isAtRest: () => boolean): Promise<void> {
  const stands = () => document.querySelector('main h1') !== null && document.querySelector('.waiting') === null
  const end = performance.now() + answerMs
  while (!(isAtRest() && stands()) && performance.now() < end) await wait(pollMs)
  await painted()
}
const pollMs = 50
const painted = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
