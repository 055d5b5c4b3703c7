import { Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { publicPageModules, layoutModule } from '#app/routes/prefetch.ts'
import { ErrorBoundary } from '#app/shell/ErrorBoundary.tsx'
import { RouteGuard } from '#app/routes/route-guard.tsx'
import { Loading } from '#app/shell/Loading.tsx'
import { createLazyPage } from '#app/routes/lazy-page.tsx'
import { isSignedInPath, publicRouteNames, findRouteName, routes } from '#app/routes/paths.ts'
import { PublicLayout } from '#app/shell/PublicLayout.tsx'

const pages = new Map(publicRouteNames.map((routeName) => [routeName, createLazyPage(publicPageModules[routeName])]))
const layoutPage = createLazyPage(layoutModule)
const notFoundPage = createLazyPage({
  load: async () => (await import(/* chunk: visitors */ '#app/pages/NotFound.tsx')).NotFound,
  namespaces: [],
})

export async function preparePage(path: string): Promise<void> {
  const routeName = findRouteName(publicRouteNames, path)
  if (routeName) return await pages.get(routeName)?.prepare()
  if (!isSignedInPath(path)) return await notFoundPage.prepare()
  const prepareInside = async () => await (await import('#app/shell/AppLayout.tsx')).prepareSignedInPage(path)
  await Promise.all([layoutPage.prepare(), prepareInside().catch(() => undefined)])
}

/** /saas/ redirects to the home page. An unknown address shows a message (M5). */
export function AppRoutes() {
  return (
    <Routes>
      <Route path="/" element={<Navigate to={routes.home.path} replace />} />
      <Route path="/app" element={<Navigate to={routes.home.path} replace />} />
      <Route path="/app/*" element={<SignedInFrame />} />
      <Route element={<PublicFrame />}>
        {[...pages].map(([routeName, { Page }]) => (
          <Route key={routeName} path={routes[routeName].path} element={<Page />} />
        ))}
        <Route path="*" element={<notFoundPage.Page />} />
      </Route>
    </Routes>
  )
}

function SignedInFrame() {
  return (
    <RouteGuard access="user">
      <layoutPage.Page />
    </RouteGuard>
  )
}

function PublicFrame() {
  const { pathname } = useLocation()
  return (
    <PublicLayout>
      <ErrorBoundary resetKey={pathname}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </ErrorBoundary>
    </PublicLayout>
  )
}
