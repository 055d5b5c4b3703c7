/** The pages behind the login before they are drawn. A file of its own: the login page does not carry the list. */
import type { Code } from '#app/ahead.ts'
import { type InsidePlace, insidePlaces, placeAt } from '#app/paths.ts'
import { soon } from '#app/texts.ts'

// One page makes and changes.
const module: Code = { load: async () => (await import('#features/modules/pages/Module.tsx')).Module, words: ['plain'] }
const hiddenModule: Code = {
  load: async () => (await import('#features/modules/pages/HiddenModule.tsx')).HiddenModule,
  words: ['plain'],
}
const price: Code = { load: async () => (await import('#features/prices/pages/Price.tsx')).Price, words: ['plain'] }

/** A page that keeps the words of what is wrong with a field does not begin without them. */
export const insideCode: Record<InsidePlace, Code> = {
  home: { load: async () => (await import('#app/home.tsx')).OwnHome, words: ['home', 'problem'] },
  users: {
    load: async () => (await import('#app/users.tsx')).OwnUsers,
    words: ['users'],
    ahead: async () => (await import('#features/users/list.ts')).ahead,
  },
  services: { load: async () => (await import('#features/services/pages/Services.tsx')).Services, words: ['plain'] },
  company: {
    load: async () => (await import('#features/company/pages/Company.tsx')).Company,
    words: ['company', ...soon],
  },
  profile: {
    load: async () => (await import('#features/profile/pages/Profile.tsx')).Profile,
    words: ['profile', 'users', ...soon],
  },
  password: {
    load: async () => (await import('#features/profile/pages/Password.tsx')).Password,
    words: ['profile', 'passwords', ...soon],
  },
  security: {
    load: async () => (await import('#features/accounts/pages/Security.tsx')).Security,
    words: ['profile', 'accounts', ...soon],
  },
  sessions: { load: async () => (await import('#features/sessions/pages/Sessions.tsx')).Sessions, words: ['profile'] },
  contracts: {
    load: async () => (await import('#features/orders/pages/Contracts.tsx')).Contracts,
    words: ['problem'],
    ahead: async () => (await import('#features/orders/ahead.ts')).ahead,
  },
  newContract: {
    load: async () => (await import('#features/orders/pages/NewContract.tsx')).NewContract,
    words: ['problem'],
  },
  contract: {
    load: async () => (await import('#features/orders/pages/Contract.tsx')).Contract,
    words: soon,
  },
  trail: { load: async () => (await import('#features/trail/pages/Trail.tsx')).Trail, words: ['plain'] },
  appHistory: { load: async () => (await import('#features/apps/pages/AppHistory.tsx')).AppHistory, words: ['plain'] },
  upload: { load: async () => (await import('#features/apps/pages/Upload.tsx')).Upload, words: ['plain'] },
  modules: { load: async () => (await import('#features/modules/pages/Modules.tsx')).Modules, words: ['plain'] },
  newModule: module,
  module,
  hiddenModules: {
    load: async () => (await import('#features/modules/pages/HiddenModules.tsx')).HiddenModules,
    words: ['plain'],
  },
  newHiddenModule: hiddenModule,
  hiddenModule,
  prices: { load: async () => (await import('#features/prices/pages/Prices.tsx')).Prices, words: ['plain'] },
  newPrice: price,
  price,
  outbox: {
    load: async () => (await import('#app/outbox.tsx')).OwnOutbox,
    words: ['outbox', 'users', 'people', ...soon],
  },
  device: {
    load: async () => (await import('#features/device/pages/Device.tsx')).Device,
    words: ['device', 'problem'],
  },
  activity: {
    load: async () => (await import('#features/activity/pages/Activity.tsx')).Activity,
    words: ['activity', 'problem'],
  },
}

/** What an address inside leads to; without a place of ours that is home. */
export const insideCodeAt = (path: string): Code => insideCode[placeAt(insidePlaces, path) ?? 'home']
