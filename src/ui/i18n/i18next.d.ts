/** Types of i18next's keys: a namespace is a file of messages, so that a wrong key does not compile (I-02). */
import type about from '#locales/en/about.json'
import type accounts from '#locales/en/accounts.json'
import type activity from '#locales/en/activity.json'
import type apps from '#locales/en/apps.json'
import type audit from '#locales/en/audit.json'
import type statements from '#locales/en/statements.json'
import type storedTrail from '#locales/en/storedTrail.json'
import type dates from '#locales/en/dates.json'
import type backups from '#locales/en/backups.json'
import type calendar from '#locales/en/calendar.json'
import type company from '#locales/en/company.json'
import type contract from '#locales/en/contract.json'
import type customers from '#locales/en/customers.json'
import type device from '#locales/en/device.json'
import type dues from '#locales/en/dues.json'
import type entrance from '#locales/en/entrance.json'
import type factors from '#locales/en/factors.json'
import type fieldLabels from '#locales/en/field-labels.json'
import type fields from '#locales/en/fields.json'
import type help from '#locales/en/help.json'
import type home from '#locales/en/home.json'
import type invoices from '#locales/en/invoices.json'
import type bankTransfers from '#locales/en/bank-transfers.json'
import type money from '#locales/en/money.json'
import type moneyPage from '#locales/en/money-page.json'
import type modules from '#locales/en/modules.json'
import type prepare from '#locales/en/prepare.json'
import type priceFields from '#locales/en/price-fields.json'
import type prices from '#locales/en/prices.json'
import type notifications from '#locales/en/notifications.json'
import type orderFields from '#locales/en/order-fields.json'
import type orders from '#locales/en/orders.json'
import type outbox from '#locales/en/outbox.json'
import type passwords from '#locales/en/passwords.json'
import type payment from '#locales/en/payment.json'
import type paymentTasks from '#locales/en/payment-tasks.json'
import type refunds from '#locales/en/refunds.json'
import type exportTexts from '#locales/en/export.json'
import type people from '#locales/en/people.json'
import type problem from '#locales/en/problem.json'
import type profile from '#locales/en/profile.json'
import type sentences from '#locales/en/sentences.json'
import type services from '#locales/en/services.json'
import type sessions from '#locales/en/sessions.json'
import type search from '#locales/en/search.json'
import type setup from '#locales/en/setup.json'
import type shell from '#locales/en/shell.json'
import type staff from '#locales/en/staff.json'
import type ui from '#locales/en/ui.json'
import type users from '#locales/en/users.json'
import type visitors from '#locales/en/visitors.json'
import type wizard from '#locales/en/wizard.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui'
    resources: {
      about: typeof about
      accounts: typeof accounts
      activity: typeof activity
      apps: typeof apps
      audit: typeof audit
      statements: typeof statements
      storedTrail: typeof storedTrail
      dates: typeof dates
      backups: typeof backups
      calendar: typeof calendar
      company: typeof company
      contract: typeof contract
      customers: typeof customers
      device: typeof device
      dues: typeof dues
      entrance: typeof entrance
      factors: typeof factors
      'field-labels': typeof fieldLabels
      fields: typeof fields
      help: typeof help
      home: typeof home
      invoices: typeof invoices
      'bank-transfers': typeof bankTransfers
      money: typeof money
      'money-page': typeof moneyPage
      modules: typeof modules
      'price-fields': typeof priceFields
      prepare: typeof prepare
      prices: typeof prices
      notifications: typeof notifications
      'order-fields': typeof orderFields
      orders: typeof orders
      outbox: typeof outbox
      passwords: typeof passwords
      payment: typeof payment
      'payment-tasks': typeof paymentTasks
      refunds: typeof refunds
      export: typeof exportTexts
      people: typeof people
      problem: typeof problem
      profile: typeof profile
      sentences: typeof sentences
      services: typeof services
      sessions: typeof sessions
      search: typeof search
      setup: typeof setup
      shell: typeof shell
      staff: typeof staff
      ui: typeof ui
      users: typeof users
      visitors: typeof visitors
      wizard: typeof wizard
    }
  }
}
