import { StrictMode, startTransition, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import '#app/forms.ts'
import { isSignedInPath, routes } from '#app/routes/paths.ts'
import { ErrorBoundary } from '#app/shell/ErrorBoundary.tsx'
import { chooseLanguage, loadPageMessages, startMessages } from '#app/i18n/page-messages.ts'
import { markFirstPageReady, waitForIdle } from '#app/browser/idle.ts'
import {
  type ConnectionListener,
  observeApi,
  notifyNetworkState,
  watchConnection,
} from '#app/connection/connection-monitor.ts'
import { ignoreComposingKeys } from '#app/browser/composing-keys.ts'
import { hideWhileAway } from '#app/connection/hide-while-away.ts'
import { retryImport } from '#app/pwa/retry-import.ts'
import { Loading } from '#app/shell/Loading.tsx'
import { prefetchPage } from '#app/routes/prefetch.ts'
import { AppRoutes, preparePage } from '#app/routes/routes.tsx'
import { problemNamespaces } from '#app/i18n/locale-files.ts'
import { readPreference } from '#app/preferences/preferences.ts'
import { startTheme } from '#app/preferences/theme.ts'
import { trustDocument } from '#app/trusted-types.ts'
import { toReturnPath } from '#features/accounts/return-to.ts'
import type { ApiClient } from '#request/call-results.ts'
import { StoreProvider } from '#state/use-store.ts'
import { createStore, type AppStore } from '#state/store.ts'
import '#ui/navigation-guard/popstate.ts'
import { keepFocus } from '#ui/overlay/focus-back.ts'

const loadNetwork = () => import('#app/connection/network-bundle.ts')
const loadJobActions = async () => (await import('#app/connection/job-timer.ts')).jobActions
const loadTrailActions = async () =>
  (await import(/* chunk: trail-device */ '#app/connection/audit-trail.ts')).trailActions
const loadPackages = async () =>
  (await import(/* chunk: staff-apps */ '#app/connection/packages.ts')).createPackages(trustDocument)

function openStore() {
  let pendingCount = 0
  let isAnswered = false
  // The connection listener needs the store, and the store needs this API client, so the listener is set later.
  let listener: ConnectionListener = async (networkState) => networkState
  const call: ApiClient['call'] = async (...input) => {
    pendingCount += 1
    try {
      return await (await loadNetwork()).api.call(...input)
    } finally {
      pendingCount -= 1
      isAnswered = true
    }
  }
  const api = observeApi({ call }, (networkState) => listener(networkState))
  const store = createStore({
    api,
    // Loaded here, so that signed-in users do not load this code.
    signIn: async (input) => {
      fetchAfterLogin()
      const { signIn } = await import('#request/session/sign-in.ts')
      // If no language was chosen on this device, the account's own language is used (D68).
      const hasChosenLanguage = readPreference('portal.language') !== null
      const result = await signIn((await loadNetwork()).ports, {
        ...input,
        language: hasChosenLanguage ? input.language : null,
      })
      void notifyNetworkState(result, listener)
      if (!hasChosenLanguage && result.kind === 'fresh') await chooseLanguage(result.output.user.language)
      return result
    },
    signOut: async (discard) =>
      (await import('#request/session/sign-in.ts')).signOut((await loadNetwork()).ports, discard),
    jobActions: {
      retry: async (intent) => (await loadJobActions()).retry(intent),
      dismiss: async (intent) => (await loadJobActions()).dismiss(intent),
      markSeen: async (intents) => (await loadJobActions()).markSeen(intents),
    },
    packages: {
      fetchChangeLog: async (id) => (await loadPackages()).fetchChangeLog(id),
      send: async (file, options) => (await loadPackages()).send(file, options),
      forget: async (id) => (await loadPackages()).forget(id),
    },
    loadTrailActions,
  })
  listener = watchConnection(store, async () => (await loadNetwork()).ports)
  return { api, store, listener, isIdle: () => isAnswered && pendingCount === 0 }
}

/** Starts the app at a path, which is relative to the base. Resolves to the React root when everything is loaded. */
export async function start(path: string): Promise<Root> {
  startTheme()
  ignoreComposingKeys(window)
  keepFocus()
  const { api, store, listener, isIdle } = openStore()
  hideWhileAway(store)
  const pageReady = preparePage(path)
  const startSessionWatch = async () =>
    (await retryImport(() => import('#app/connection/session-sync.ts'))).watchSession(store, api, pageReady)
  // Behind the login the session decides what is shown. Other pages can be used before the device's database is loaded.
  const isSignedInPage = isSignedInPath(path)
  if (isSignedInPage) void startSessionWatch()
  await startMessages()
  const element = document.getElementById('root')
  if (!element) throw new Error('index.html has no element with the id root')
  const root = createRoot(element)
  await (isSignedInPage ? showLoading(store, root) : pageReady)
  let resolveFirstRender = () => {}
  const firstRender = new Promise<void>((resolve) => (resolveFirstRender = resolve))
  // In a transition React renders in slices, so that the browser can handle other work in between.
  startTransition(() =>
    root.render(
      <StrictMode>
        <StoreProvider store={store}>
          <BrowserRouter basename="/saas">
            <ErrorBoundary resetKey="">
              <AppRoutes />
            </ErrorBoundary>
          </BrowserRouter>
          <RenderNotifier onDrawn={resolveFirstRender} />
        </StoreProvider>
      </StrictMode>,
    ),
  )
  await firstRender
  await waitForPaint()
  void loadPageMessages(...problemNamespaces)
  if (!isSignedInPage) void startSessionWatch()
  // Installing the worker downloads the complete client, which must not delay the page's own files and rows.
  await pageReady
  if (isSignedInPage) await waitForRows(isIdle)
  markFirstPageReady()
  await waitForIdle()
  const [{ watchInstallPrompt }, { startWorker }, { nameEnterKeys, keepHintsInViewport: keepHintsInside }] =
    await retryImport(() =>
      Promise.all([loadNetwork(), import('#app/pwa/service-worker.ts'), import('#app/shell/late-listeners.ts')]),
    )
  nameEnterKeys()
  keepHintsInside()
  watchInstallPrompt()
  // A page for visitors that was loaded from the cache has sent no request. Reporting a doubt makes the monitor ping the server.
  if (!isSignedInPage && navigator.serviceWorker?.controller) void listener('unreachable')
  startWorker(() => void listener('online'))
  if (path === routes.login.path) fetchAfterLogin()
  return root
}

/** Downloads the page after the login and the layout, while the user fills in the form and the password is checked. */
function fetchAfterLogin(): void {
  const returnPath = toReturnPath(new URLSearchParams(location.search).get('to'))
  prefetchPage(new URL(returnPath, location.origin).pathname)
}

/**
 * Shows a loading view until the session is loaded. The page follows only then, because React renders a change of the store in one long
 * task.
 */
async function showLoading(store: AppStore, root: Root): Promise<void> {
  const timer = setTimeout(() => {
    root.render(
      <StoreProvider store={store}>
        <Loading />
      </StoreProvider>,
    )
  }, loadingDelayMs)
  await waitForSession(store)
  clearTimeout(timer)
}

/** Only the rendered tree itself knows when the transition has ended. */
function RenderNotifier({ onDrawn }: { onDrawn: () => void }) {
  useEffect(onDrawn, [onDrawn])
  return null
}

const waitForSession = (store: AppStore) =>
  new Promise<void>((resolve) => {
    const check = () => {
      const { session } = store.getState()
      if (session.kind === 'unknown' && !session.problem) return
      stop()
      resolve()
    }
    const stop = store.subscribe(check)
    check()
  })

/** Time in ms after which the loading view is shown. A session that is loaded earlier needs none. */
const loadingDelayMs = 300
/** Maximum time that the worker's installation waits for the first rows, in ms. */
const maxRowWaitMs = 6_000
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
/** Waits until all requests have ended and the rows are rendered, at most `maxRowWaitMs`. */
async function waitForRows(isIdle: () => boolean): Promise<void> {
  const isDrawn = () => document.querySelector('main h1') !== null && document.querySelector('.waiting') === null
  const endAt = performance.now() + maxRowWaitMs
  while (!(isIdle() && isDrawn()) && performance.now() < endAt) await wait(pollMs)
  await waitForPaint()
}
const pollMs = 50
const waitForPaint = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
