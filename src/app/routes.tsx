import { Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { Broken } from '#app/Broken.tsx'
import { Guard } from '#app/guard.tsx'
import { Loading } from '#app/Loading.tsx'
import { type LazyPage, page } from '#app/page.tsx'
import { type OutsidePlace, outsidePlaces, places } from '#app/paths.ts'
import { Entry } from '#app/shell/Entry.tsx'

/** The pages that need no session. Each comes with its own code and texts. */
const pages: Record<OutsidePlace, LazyPage> = {
  entrance: page(async () => (await import('#features/entrance/pages/Entrance.tsx')).Entrance, 'plain'),
  login: page(async () => (await import('#features/accounts/pages/Login.tsx')).Login, 'accounts'),
  logout: page(async () => (await import('#features/accounts/pages/Logout.tsx')).Logout, 'accounts'),
  signup: page(async () => (await import('#features/accounts/pages/Signup.tsx')).Signup, 'accounts'),
  forget: page(async () => (await import('#features/accounts/pages/Forget.tsx')).Forget, 'accounts'),
  resetPwd: page(async () => (await import('#features/accounts/pages/ResetPwd.tsx')).ResetPwd, 'accounts'),
  activate: page(async () => (await import('#features/accounts/pages/Activate.tsx')).Activate, 'accounts'),
}

/** The signed-in frame, with the routes of everything inside it. */
const shell = page(async () => (await import('#app/shell/Shell.tsx')).Shell)
const fallback = page(async () => (await import('#app/Fallback.tsx')).Fallback)

/** Sends for the code of what the address asks for, before it is known whether it may be seen. */
export function startFor(path: string) {
  if (path.startsWith('/app/') || path === '/') shell.start()
  const place = outsidePlaces.find((one) => places[one].path === path)
  if (place) pages[place].start()
}

/** /saas/ leads to home; what is no place of ours says so (M5). */
export function AppRoutes() {
  return (
    <Routes>
      <Route path="/" element={<Navigate to={places.home.path} replace />} />
      <Route path="/app" element={<Navigate to={places.home.path} replace />} />
      <Route path="/app/*" element={<Inside />} />
      <Route element={<Outside />}>
        {outsidePlaces.map((place) => {
          const { Page } = pages[place]
          return <Route key={place} path={places[place].path} element={<Page />} />
        })}
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
