import { type ReactElement, Suspense } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { Broken } from '#app/Broken.tsx'
import { Guard } from '#app/guard.tsx'
import { Loading } from '#app/Loading.tsx'
import { page } from '#app/page.tsx'
import { isInside, type Place, placeNames, places } from '#app/paths.ts'
import { Entry } from '#app/shell/Entry.tsx'

/** Which page stands at which place. Each comes with its own code and texts. */
const pages: Record<Place, ReactElement> = {
  entrance: page(async () => (await import('#features/entrance/pages/Entrance.tsx')).Entrance, 'plain'),
  login: page(async () => (await import('#features/accounts/pages/Login.tsx')).Login, 'accounts'),
  logout: page(async () => (await import('#features/accounts/pages/Logout.tsx')).Logout, 'accounts'),
  signup: page(async () => (await import('#features/accounts/pages/Signup.tsx')).Signup, 'accounts'),
  forget: page(async () => (await import('#features/accounts/pages/Forget.tsx')).Forget, 'accounts'),
  resetPwd: page(async () => (await import('#features/accounts/pages/ResetPwd.tsx')).ResetPwd, 'accounts'),
  activate: page(async () => (await import('#features/accounts/pages/Activate.tsx')).Activate, 'accounts'),

  home: page(async () => (await import('#features/home/pages/Home.tsx')).Home, 'home'),
  users: page(async () => (await import('#features/users/pages/Users.tsx')).Users, 'users'),
  services: page(async () => (await import('#features/services/pages/Services.tsx')).Services, 'plain'),
  company: page(async () => (await import('#features/company/pages/Company.tsx')).Company, 'plain'),
  profile: page(async () => (await import('#features/profile/pages/Profile.tsx')).Profile, 'plain'),
  password: page(async () => (await import('#features/profile/pages/Password.tsx')).Password, 'plain'),
  contracts: page(async () => (await import('#features/orders/pages/Contracts.tsx')).Contracts, 'plain'),
  newContract: page(async () => (await import('#features/orders/pages/NewContract.tsx')).NewContract, 'plain'),
  contract: page(async () => (await import('#features/orders/pages/Contract.tsx')).Contract, 'plain'),
  trail: page(async () => (await import('#features/trail/pages/Trail.tsx')).Trail, 'plain'),
  appHistory: page(async () => (await import('#features/apps/pages/AppHistory.tsx')).AppHistory, 'plain'),
  upload: page(async () => (await import('#features/apps/pages/Upload.tsx')).Upload, 'plain'),
  modules: page(async () => (await import('#features/modules/pages/Modules.tsx')).Modules, 'plain'),
  newModule: page(async () => (await import('#features/modules/pages/Module.tsx')).Module, 'plain'),
  module: page(async () => (await import('#features/modules/pages/Module.tsx')).Module, 'plain'),
  hiddenModules: page(async () => (await import('#features/modules/pages/HiddenModules.tsx')).HiddenModules, 'plain'),
  newHiddenModule: page(async () => (await import('#features/modules/pages/HiddenModule.tsx')).HiddenModule, 'plain'),
  hiddenModule: page(async () => (await import('#features/modules/pages/HiddenModule.tsx')).HiddenModule, 'plain'),
  prices: page(async () => (await import('#features/prices/pages/Prices.tsx')).Prices, 'plain'),
  newPrice: page(async () => (await import('#features/prices/pages/Price.tsx')).Price, 'plain'),
  price: page(async () => (await import('#features/prices/pages/Price.tsx')).Price, 'plain'),
  outbox: page(async () => (await import('#features/outbox/pages/Outbox.tsx')).Outbox, 'plain'),
  device: page(async () => (await import('#features/device/pages/Device.tsx')).Device, 'plain'),
  activity: page(async () => (await import('#features/activity/pages/Activity.tsx')).Activity, 'plain'),
}

const shell = page(async () => (await import('#app/shell/Shell.tsx')).Shell)
const fallback = page(async () => (await import('#app/Fallback.tsx')).Fallback)

const routeOf = (place: Place) => (
  <Route key={place} path={places[place].path} element={<Guard who={places[place].who}>{pages[place]}</Guard>} />
)

/** /saas/ leads to home; what is no place of ours says so (M5). */
export function AppRoutes() {
  return (
    <Routes>
      <Route path="/" element={<Navigate to={places.home.path} replace />} />
      <Route path="/app" element={<Navigate to={places.home.path} replace />} />
      <Route element={<Inside />}>{placeNames.filter(isInside).map(routeOf)}</Route>
      <Route element={<Outside />}>
        {placeNames.filter((place) => !isInside(place)).map(routeOf)}
        <Route path="*" element={fallback} />
      </Route>
    </Routes>
  )
}

/** Until it is known who is there the visitors' frame stands: the shell's own code comes with the session. */
function Inside() {
  return (
    <Guard who="user">
      <Suspense fallback={<Loading />}>{shell}</Suspense>
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
