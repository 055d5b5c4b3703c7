import { matchPath, Route, Routes } from 'react-router-dom'
import { Guard } from '#app/guard.tsx'
import { type LazyPage, page } from '#app/page.tsx'
import { type InsidePlace, insidePlaces, places } from '#app/paths.ts'

/** The pages behind the login. Each comes with its own code and texts. */
const pages: Record<InsidePlace, LazyPage> = {
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
  outbox: page(async () => (await import('#app/outbox.tsx')).OwnOutbox, 'outbox', 'users'),
  device: page(async () => (await import('#features/device/pages/Device.tsx')).Device, 'plain'),
  activity: page(async () => (await import('#features/activity/pages/Activity.tsx')).Activity, 'activity'),
}
const fallback = page(async () => (await import('#app/Fallback.tsx')).Fallback)

// This module arrives while it is still being asked who is there: the page's own code sets off at the same time.
const first = insidePlaces.find((place) =>
  matchPath(import.meta.env.BASE_URL.slice(0, -1) + places[place].path, location.pathname),
)
if (first) pages[first].start()

/** Each place behind its own rule (M11). Paths are relative to /app. */
export function InsideRoutes() {
  return (
    <Routes>
      {insidePlaces.map((place) => {
        const { Page } = pages[place]
        const { path, who } = places[place]
        const element = (
          <Guard who={who}>
            <Page />
          </Guard>
        )
        return <Route key={place} path={path.slice('/app/'.length)} element={element} />
      })}
      <Route path="*" element={<fallback.Page />} />
    </Routes>
  )
}
