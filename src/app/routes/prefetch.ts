/** Starts downloads in parallel with the libraries. This module and its imports must not import any library. */
import { getPageModule } from '#app/routes/page-modules.ts'
import { isSignedInPath, type PublicRouteName, publicRouteNames, findRouteName } from '#app/routes/paths.ts'
import type { PageModule } from '#app/routes/page-module.ts'
import { frameNamespaces, initialLanguage, loadLocaleFile, problemNamespaces } from '#app/i18n/locale-files.ts'

const visitorNamespaces = ['accounts', ...problemNamespaces] as const
const recoveryNamespaces = [...visitorNamespaces, 'visitors', 'passwords'] as const

export const publicPageModules: Record<PublicRouteName, PageModule> = {
  entrance: {
    load: async () => (await import(/* chunk: visitors */ '#features/entrance/pages/Entrance.tsx')).Entrance,
    namespaces: ['entrance', 'fields'],
  },
  login: {
    load: async () => (await import(/* chunk: frame */ '#features/accounts/pages/Login.tsx')).Login,
    namespaces: visitorNamespaces,
  },
  logout: {
    load: async () => (await import(/* chunk: pages */ '#features/accounts/pages/Logout.tsx')).Logout,
    namespaces: [...visitorNamespaces, 'visitors'],
  },
  signup: {
    load: async () => (await import(/* chunk: visitors */ '#app/pages/SignupRoute.tsx')).SignupRoute,
    namespaces: [...recoveryNamespaces, 'company'],
  },
  forget: {
    load: async () =>
      (await import(/* chunk: visitors */ '#features/accounts/pages/ForgotPassword.tsx')).ForgotPassword,
    namespaces: recoveryNamespaces,
  },
  resetPwd: {
    load: async () => (await import(/* chunk: visitors */ '#features/accounts/pages/ResetPwd.tsx')).ResetPwd,
    namespaces: recoveryNamespaces,
  },
  activate: {
    load: async () =>
      (await import(/* chunk: visitors */ '#features/accounts/pages/ActivationPage.tsx')).ActivationPage,
    namespaces: recoveryNamespaces,
  },
}
export const layoutModule: PageModule = {
  load: async () => (await import(/* chunk: inside */ '#app/shell/AppLayout.tsx')).AppLayout,
  namespaces: [],
}

/** Starts the downloads for a path, which is relative to the base. A failed download is repeated by the code that needs it. */
export function prefetchPage(path: string): void {
  const publicRouteName = findRouteName(publicRouteNames, path)
  if (isSignedInPath(path)) prefetchSignedIn(path)
  for (const namespace of frameNamespaces) ignoreFailure(loadLocaleFile(initialLanguage, namespace))
  if (publicRouteName) prefetchModule(publicPageModules[publicRouteName])
}

/** Starts the largest files first: a browser opens six connections to a server, and the seventh file waits. */
function prefetchSignedIn(path: string): void {
  ignoreFailure(import(/* chunk: device */ '#app/connection/cached-user.ts'))
  prefetchModule(layoutModule)
  // Shared by layout and page. This chunk would otherwise be discovered only after one of them has loaded.
  ignoreFailure(import(/* chunk: inside */ '#ui/icons/app-icons.ts'))
  ignoreFailure(import(/* chunk: device */ '#app/connection/session-sync.ts'))
  ignoreFailure(import(/* chunk: device */ '#app/connection/network-bundle.ts'))
  prefetchModule(getPageModule(path))
  // Without a worker the page handles requests itself.
  if (!navigator.serviceWorker?.controller) ignoreFailure(import(/* chunk: device */ '#request/reads/read.ts'))
}

function prefetchModule({ load, namespaces }: PageModule): void {
  ignoreFailure(load())
  for (const namespace of namespaces) ignoreFailure(loadLocaleFile(initialLanguage, namespace))
}

const ignoreFailure = (promise: Promise<unknown>) => void promise.catch(() => undefined)
