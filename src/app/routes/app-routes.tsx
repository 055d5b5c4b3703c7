import { Route, Routes } from 'react-router-dom'
import { RouteGuard } from '#app/routes/route-guard.tsx'
import { signedInPageModules } from '#app/routes/page-modules.ts'
import { createLazyPage } from '#app/routes/lazy-page.tsx'
import { signedInRouteNames, findRouteName, routes } from '#app/routes/paths.ts'

const pages = new Map(
  signedInRouteNames.map((routeName) => [routeName, createLazyPage(signedInPageModules[routeName])]),
)

const notFoundPage = createLazyPage({
  load: async () => (await import(/* chunk: visitors */ '#app/pages/NotFound.tsx')).NotFound,
  namespaces: [],
})

export async function prepareSignedInPage(path: string): Promise<void> {
  await pages.get(findRouteName(signedInRouteNames, path) ?? 'home')?.prepare()
}

/** Routes behind the login, each with its own access rule (M11). Paths are relative to /app. */
export function SignedInRoutes() {
  return (
    <Routes>
      {[...pages].map(([routeName, { Page }]) => {
        const { path, access } = routes[routeName]
        const element = (
          <RouteGuard access={access}>
            <Page />
          </RouteGuard>
        )
        return <Route key={routeName} path={path.slice('/app/'.length)} element={element} />
      })}
      <Route path="*" element={<notFoundPage.Page />} />
    </Routes>
  )
}
