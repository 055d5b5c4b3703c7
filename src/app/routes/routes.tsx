import { Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { outsideCode, shellCode } from '#app/routes/prefetch.ts'
import { Broken } from '#app/shell/ErrorBoundary.tsx'
import { Guard } from '#app/routes/route-guard.tsx'
import { Loading } from '#app/shell/Loading.tsx'
import { page } from '#app/routes/lazy-page.tsx'
import { isInside, outsidePlaces, placeAt, places } from '#app/routes/paths.ts'
import { Entry } from '#app/shell/PublicLayout.tsx'

/** The pages that need no session. */
const pages = new Map(outsidePlaces.map((place) => [place, page(outsideCode[place])]))
const shell = page(shellCode)
const fallback = page({
  load: async () => (await import(/* chunk: visitors */ '#app/pages/NotFound.tsx')).Fallback,
  words: [],
})

/** Resolves when what the address asks for can be drawn: outside the page itself, inside the frame and the page in it. */
export async function drawable(path: string): Promise<void> {
  const place = placeAt(outsidePlaces, path)
  if (place) return await pages.get(place)?.start()
  if (!isInside(path)) return await fallback.start()
  const ready = async () => await (await import('#app/shell/AppLayout.tsx')).pageReady(path)
  await Promise.all([shell.start(), ready().catch(() => undefined)])
}

/** /saas/ leads to home; what is no place of ours says so (M5). */
export function AppRoutes() {
  return (
    <Routes>
      <Route path="/" element={<Navigate to={places.home.path} replace />} />
      <Route path="/app" element={<Navigate to={places.home.path} replace />} />
      <Route path="/app/*" element={<Inside />} />
      <Route element={<Outside />}>
        {[...pages].map(([place, { Page }]) => (
          <Route key={place} path={places[place].path} element={<Page />} />
        ))}
        <Route path="*" element={<fallback.Page />} />
      </Route>
    </Routes>
  )
}

function Inside() {
  return (
    <Guard who="user">
      <shell.Page />
    </Guard>
  )
}

function Outside() {
  const { pathname } = useLocation()
  return (
    <Entry>
      <Broken at={pathname}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </Broken>
    </Entry>
  )
}
