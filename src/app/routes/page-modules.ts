/** The pages behind the login before they are drawn. A file of its own: the login page does not carry the list. */
import { type InsidePlace, insidePlaces, placeAt } from '#app/routes/paths.ts'
import type { PageModule } from '#app/routes/page-module.ts'
import { soon } from '#app/i18n/locale-files.ts'

// One page makes and changes.
const module: PageModule = {
  load: async () => (await import(/* chunk: staff-modules */ '#features/modules/form/ModulePage.tsx')).Module,
  words: ['staff', ...soon],
}
const hiddenModule: PageModule = {
  load: async () => (await import(/* chunk: staff-modules */ '#features/modules/form/ModulePage.tsx')).HiddenModule,
  words: ['staff', ...soon],
}
const price: PageModule = {
  load: async () => (await import(/* chunk: staff-prices */ '#app/pages/PriceListPage.tsx')).OwnPriceList,
  words: ['staff', ...soon],
}

/** A page that keeps the words of what is wrong with a field does not begin without them. */
export const insideCode: Record<InsidePlace, PageModule> = {
  home: {
    load: async () => (await import(/* chunk: list */ '#app/pages/HomePage.tsx')).OwnHome,
    words: ['home', 'problem'],
  },
  users: {
    load: async () => (await import(/* chunk: inside */ '#app/pages/UsersPage.tsx')).OwnUsers,
    words: ['users'],
  },
  services: {
    load: async () => (await import(/* chunk: staff-services list */ '#app/pages/ServicesPage.tsx')).OwnServices,
    words: ['problem'],
  },
  service: {
    load: async () => (await import(/* chunk: staff-services */ '#app/pages/ServicePage.tsx')).OwnService,
    words: ['problem'],
  },
  serviceLog: {
    load: async () => (await import(/* chunk: orders-services */ '#features/services/log/LogPage.tsx')).ServiceLog,
    words: ['problem'],
  },
  contractLog: {
    load: async () => (await import(/* chunk: orders-services */ '#features/services/log/LogPage.tsx')).ContractLog,
    words: ['problem'],
  },
  company: {
    load: async () => (await import(/* chunk: pages */ '#features/company/pages/Company.tsx')).Company,
    words: ['company', ...soon],
  },
  profile: {
    load: async () => (await import(/* chunk: pages */ '#features/profile/pages/Profile.tsx')).Profile,
    words: ['profile', 'users', ...soon],
  },
  password: {
    load: async () => (await import(/* chunk: pages */ '#features/profile/pages/Password.tsx')).Password,
    words: ['profile', 'passwords', ...soon],
  },
  security: {
    load: async () => (await import(/* chunk: pages */ '#features/accounts/pages/Security.tsx')).Security,
    words: ['profile', 'accounts', ...soon],
  },
  sessions: {
    load: async () => (await import(/* chunk: pages */ '#features/sessions/pages/Sessions.tsx')).Sessions,
    words: ['profile'],
  },
  contracts: {
    load: async () => (await import(/* chunk: orders list */ '#features/orders/list/ContractsPage.tsx')).Contracts,
    words: ['problem'],
  },
  newContract: {
    load: async () => (await import(/* chunk: orders */ '#features/orders/wizard/NewContractPage.tsx')).NewContract,
    words: ['problem'],
  },
  contract: {
    load: async () => (await import(/* chunk: orders */ '#app/pages/ContractPage.tsx')).OwnContract,
    words: soon,
  },
  trail: {
    load: async () => (await import(/* chunk: trail list */ '#app/pages/AuditTrailPage.tsx')).OwnTrail,
    words: ['problem'],
  },
  appHistory: {
    load: async () =>
      (await import(/* chunk: staff-apps list */ '#features/apps/history/AppHistoryPage.tsx')).AppHistory,
    words: ['problem'],
  },
  upload: {
    load: async () => (await import(/* chunk: staff-apps */ '#features/apps/upload/UploadPage.tsx')).Upload,
    words: ['problem', 'staff'],
  },
  modules: {
    load: async () => (await import(/* chunk: staff-modules list */ '#features/modules/list/ModulesPage.tsx')).Modules,
    words: ['problem', 'staff'],
  },
  newModule: module,
  module,
  hiddenModules: {
    load: async () =>
      (await import(/* chunk: staff-modules list */ '#features/modules/list/ModulesPage.tsx')).HiddenModules,
    words: ['problem', 'staff'],
  },
  newHiddenModule: hiddenModule,
  hiddenModule,
  prices: {
    load: async () =>
      (await import(/* chunk: staff-prices list */ '#features/prices/list/PriceListsPage.tsx')).PriceLists,
    words: ['staff', 'problem'],
  },
  newPrice: price,
  price,
  outbox: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/OutboxPage.tsx')).OwnOutbox,
    words: ['outbox', 'users', 'people', ...soon],
  },
  device: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/DevicePage.tsx')).OwnDevice,
    words: ['device', 'problem'],
  },
  activity: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/ActivityPage.tsx')).OwnActivity,
    words: ['activity', 'problem'],
  },
}

/** What an address inside leads to; without a place of ours that is home. */
export const insideCodeAt = (path: string): PageModule => insideCode[placeAt(insidePlaces, path) ?? 'home']
