/** Modules of the pages behind the login. A separate file, so that the login page does not load the list. */
import { type SignedInRouteName, signedInRouteNames, findRouteName } from '#app/routes/paths.ts'
import type { PageModule } from '#app/routes/page-module.ts'
import { problemNamespaces } from '#app/i18n/locale-files.ts'

const moduleForm: PageModule = {
  load: async () => (await import(/* chunk: staff-modules */ '#features/modules/form/ModulePage.tsx')).ModulePage,
  namespaces: ['staff', ...problemNamespaces],
}
const hiddenModuleForm: PageModule = {
  load: async () => (await import(/* chunk: staff-modules */ '#features/modules/form/ModulePage.tsx')).HiddenModulePage,
  namespaces: ['staff', ...problemNamespaces],
}
const customerPage: PageModule = {
  load: async () => (await import(/* chunk: staff-customers */ '#app/pages/customers/CustomerRoute.tsx')).CustomerRoute,
  namespaces: ['users', ...problemNamespaces],
}
const priceEditor: PageModule = {
  load: async () => (await import(/* chunk: staff-prices */ '#app/pages/PriceListRoute.tsx')).PriceListRoute,
  namespaces: ['staff', ...problemNamespaces],
}

/** If a page's forms show field errors, it needs `problemNamespaces`: a page is rendered only after its namespaces are loaded. */
export const signedInPageModules: Record<SignedInRouteName, PageModule> = {
  home: {
    load: async () => (await import(/* chunk: list */ '#app/pages/HomeRoute.tsx')).HomeRoute,
    namespaces: ['home', 'problem'],
  },
  users: {
    load: async () => (await import(/* chunk: inside */ '#app/pages/UsersRoute.tsx')).UsersRoute,
    namespaces: ['users'],
  },
  customers: {
    load: async () =>
      (await import(/* chunk: staff-customers list */ '#features/customers/list/CustomersPage.tsx')).CustomersPage,
    namespaces: ['problem'],
  },
  customer: customerPage,
  customerTab: customerPage,
  services: {
    load: async () => (await import(/* chunk: staff-services list */ '#app/pages/ServicesRoute.tsx')).ServicesRoute,
    namespaces: ['problem'],
  },
  service: {
    load: async () => (await import(/* chunk: staff-services */ '#app/pages/ServiceRoute.tsx')).ServiceRoute,
    namespaces: ['problem'],
  },
  serviceLog: {
    load: async () =>
      (await import(/* chunk: orders-services */ '#features/services/log/ServiceLogPage.tsx')).ServiceLogPage,
    namespaces: ['problem'],
  },
  contractLog: {
    load: async () =>
      (await import(/* chunk: orders-services */ '#features/services/log/ServiceLogPage.tsx')).ContractLogPage,
    namespaces: ['problem'],
  },
  company: {
    load: async () => (await import(/* chunk: pages */ '#features/company/pages/Company.tsx')).Company,
    namespaces: ['company', ...problemNamespaces],
  },
  profile: {
    load: async () => (await import(/* chunk: pages */ '#features/profile/pages/Profile.tsx')).Profile,
    namespaces: ['profile', 'users', ...problemNamespaces],
  },
  password: {
    load: async () => (await import(/* chunk: pages */ '#features/profile/pages/Password.tsx')).Password,
    namespaces: ['profile', 'passwords', ...problemNamespaces],
  },
  security: {
    load: async () => (await import(/* chunk: pages */ '#features/accounts/pages/Security.tsx')).Security,
    namespaces: ['profile', 'accounts', ...problemNamespaces],
  },
  sessions: {
    load: async () => (await import(/* chunk: pages */ '#features/sessions/pages/Sessions.tsx')).Sessions,
    namespaces: ['profile'],
  },
  notifications: {
    load: async () =>
      (await import(/* chunk: pages */ '#features/notifications/NotificationChoices.tsx')).NotificationChoices,
    namespaces: ['profile', 'notifications', ...problemNamespaces],
  },
  contracts: {
    load: async () => (await import(/* chunk: orders list */ '#features/orders/list/ContractsPage.tsx')).ContractsPage,
    namespaces: ['problem'],
  },
  invoices: {
    load: async () =>
      (await import(/* chunk: orders-invoices list */ '#app/pages/invoices/InvoicesRoute.tsx')).InvoicesRoute,
    namespaces: ['problem'],
  },
  money: {
    load: async () => (await import(/* chunk: staff-money */ '#app/pages/money/MoneyRoute.tsx')).MoneyRoute,
    namespaces: problemNamespaces,
  },
  newContract: {
    load: async () => (await import(/* chunk: orders */ '#features/orders/wizard/NewContractPage.tsx')).NewContractPage,
    namespaces: ['problem'],
  },
  contract: {
    load: async () => (await import(/* chunk: orders */ '#app/pages/ContractRoute.tsx')).ContractRoute,
    namespaces: problemNamespaces,
  },
  trail: {
    load: async () => (await import(/* chunk: trail list */ '#app/pages/AuditTrailRoute.tsx')).AuditTrailRoute,
    namespaces: ['problem'],
  },
  appHistory: {
    load: async () =>
      (await import(/* chunk: staff-apps list */ '#features/apps/history/AppHistoryPage.tsx')).AppHistoryPage,
    namespaces: ['problem'],
  },
  upload: {
    load: async () => (await import(/* chunk: staff-apps */ '#features/apps/upload/UploadPage.tsx')).UploadPage,
    namespaces: ['problem', 'staff'],
  },
  modules: {
    load: async () =>
      (await import(/* chunk: staff-modules list */ '#features/modules/list/ModulesPage.tsx')).ModulesPage,
    namespaces: ['problem', 'staff'],
  },
  newModule: moduleForm,
  module: moduleForm,
  hiddenModules: {
    load: async () =>
      (await import(/* chunk: staff-modules list */ '#features/modules/list/ModulesPage.tsx')).HiddenModulesPage,
    namespaces: ['problem', 'staff'],
  },
  newHiddenModule: hiddenModuleForm,
  hiddenModule: hiddenModuleForm,
  prices: {
    load: async () => (await import(/* chunk: staff-prices list */ '#app/pages/PriceListsRoute.tsx')).PriceListsRoute,
    namespaces: ['staff', 'problem'],
  },
  newPrice: priceEditor,
  price: priceEditor,
  outbox: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/OutboxRoute.tsx')).OutboxRoute,
    namespaces: ['outbox', 'users', 'people', ...problemNamespaces],
  },
  device: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/DeviceRoute.tsx')).DeviceRoute,
    namespaces: ['device', 'problem'],
  },
  activity: {
    load: async () => (await import(/* chunk: pages */ '#app/pages/ActivityRoute.tsx')).ActivityRoute,
    namespaces: ['activity', 'notifications', 'problem'],
  },
}

/** Returns the page module of an address behind the login. For an address without a route it is the home page. */
export const getPageModule = (path: string): PageModule =>
  signedInPageModules[findRouteName(signedInRouteNames, path) ?? 'home']
