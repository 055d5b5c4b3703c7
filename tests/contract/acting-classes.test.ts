/**
 * Sorts every write of the contract into what a member of the provider's staff may do with it for a customer (decision 116). A new write
 * fails here until somebody has decided about it. Without a decision it is refused.
 */
import { expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { actingCalls } from '#contract/staff/acting-calls.ts'
import { actingChanges, actingOutcomeCalls, isRefusedQuery, listRefusedFields } from '#contract/staff/acting-changes.ts'

const refusedWrites = {
  /** Costs money, commits to it, or accepts terms. `backUp` and `setAlertDate` cause or postpone payments. */
  money: [
    'calculate',
    'changeContract',
    'createOrder',
    'orderBackup',
    'backUp',
    'undoChange',
    'setAlertDate',
    'pay',
    'checkPayment',
    'payItems',
    'checkItems',
    'reconcilePayments',
    'refundPaymentTask',
    'refundInvoice',
    'settleRefundTask',
    'runMoneyCheck',
    'withdrawRefund',
    'applyPaymentTask',
    'requestProforma',
    'recordBankTransfer',
    'importStatement',
    'creditBankTransfer',
    'closeBankTransfer',
    'correctBankTransfer',
    'withdrawCredit',
    'stripeCalls',
    'alipayCalls',
  ],
  /** Gives or takes access, or a secret, that outlives the consent. */
  access: [
    'createUser',
    'sendActivationMail',
    'enableUser',
    'disableUser',
    'resetUserFactors',
    'endUserSessions',
    'requireFactor',
    'renewCalendar',
    'endCalendar',
    'resetServicePassword',
    'takeServicePassword',
    'giveConsent',
    'revokeConsent',
    'startActing',
    'grantToken',
    'resendActivationMail',
    'registerCompany',
    'activateUser',
    'sendResetMail',
    'resetPassword',
    'setUpFirstFactor',
    'addFirstFactor',
  ],
  /** Cannot be undone: `updateService` replaces the apps, `createService` also creates the password of its administrator. */
  final: [
    'deleteUser',
    'deleteOrder',
    'deleteContract',
    'createService',
    'updateService',
    'removeService',
    'deleteService',
    'restoreBackup',
  ],
  /** Takes data of the customer out of the portal. */
  export: ['requestPrint', 'requestLog', 'keepTrail'],
  /** The account of the member, whose own company it belongs to. */
  ownAccount: [
    'deleteSealKeys',
    'updateOwnUser',
    'hideSetup',
    'uploadAsset',
    'changePassword',
    'beginProof',
    'proveSelf',
    'confirmPassword',
    'setUpFactor',
    'addFactor',
    'removeFactor',
    'renameFactor',
    'renewRecoveryCodes',
    'endSession',
    'endOtherSessions',
    'readNotifications',
    'setNotificationChoice',
    'registerPush',
    'removePush',
  ],
  /** The provider's work, for which its staff do not act for anybody. */
  provider: [
    'uploadApp',
    'publishApps',
    'verifyTrail',
    'disableTraffic',
    'createModule',
    'updateModule',
    'deleteModule',
    'validateModules',
    'createPriceList',
    'updatePriceList',
    'deletePriceList',
    'rehearsePriceList',
    'reinstatePriceList',
    'exportPriceList',
    'uploadPriceList',
    'importPriceList',
    'recheckServices',
    'createCustomerNote',
    'updateCustomerNote',
    'deleteCustomerNote',
  ],
  /** Carries other calls. While acting nothing is queued, so there is nothing to carry. */
  carrier: ['sendBatch'],
} as const

const allowedWrites = {
  session: ['stopActing', 'signOut'],
  change: ['updateCompany', 'updateCompanyUser', 'configureService', 'rebootService'],
  outcome: ['voidRequest'],
} as const

it('sorts each write into exactly one class', () => {
  const classified = [...Object.values(refusedWrites), ...Object.values(allowedWrites)].flat()
  const writes = endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => name)
  expect(classified.toSorted()).toEqual(writes.toSorted())
})

it('allows exactly the writes of the allowed classes, and no other call besides reads', () => {
  expect([...actingChanges.keys()].toSorted()).toEqual(allowedWrites.change.toSorted())
  const writes = endpoints.filter(({ method }) => method !== 'GET').map(({ name }) => name)
  expect(writes.filter((name) => actingCalls.has(name)).toSorted()).toEqual(allowedWrites.session.toSorted())
  expect(writes.filter((name) => actingOutcomeCalls.has(name))).toEqual(allowedWrites.outcome)
})

it('names every field of an allowed body that must not be sent', () => {
  const fields = (name: string) => {
    const { body } = endpoints.find((endpoint) => endpoint.name === name) ?? {}
    return Object.keys((body as unknown as { shape: object } | undefined)?.shape ?? {})
  }
  const refusedFields = (name: string) => {
    const names = fields(name)
    return listRefusedFields(name, Object.fromEntries(names.map((field) => [field, null])))
  }
  expect(refusedFields('updateCompanyUser')).toEqual(['admin', 'order', 'access_level'])
  expect(refusedFields('updateCompany')).toEqual([
    'name',
    'country',
    'province',
    'city',
    'addr1',
    'addr2',
    'addr3',
    'email',
    'tax_number',
  ])
  expect([fields('configureService'), fields('rebootService')]).toEqual([[], []])
  expect(listRefusedFields('updateCompanyUser', { email: 'x', alert: true })).toEqual(['email'])
  expect(listRefusedFields('rebootService', { force: true })).toEqual(['force'])
})

it('pins what the query of an allowed call may ask for: no service is stopped', () => {
  const fields = (name: string) => {
    const { query } = endpoints.find((endpoint) => endpoint.name === name) ?? {}
    return Object.keys((query as unknown as { shape: object } | undefined)?.shape ?? {})
  }
  const withQuery = [...actingChanges.keys()].filter((name) => fields(name).length > 0)
  expect(withQuery).toEqual(['configureService'])
  expect(fields('configureService')).toEqual(['serviceId', 'task_runtime_memory', 'task_desire_count'])
  const { query } = endpoints.find(({ name }) => name === 'configureService') ?? {}
  const counts = Array.from({ length: 20 }, (_, index) => index - 10).filter(
    (count) => query?.safeParse({ serviceId: 1, task_runtime_memory: 1000, task_desire_count: count }).success,
  )
  const allowedCounts = counts.filter((count) => !isRefusedQuery('configureService', { task_desire_count: count }))
  expect([counts, allowedCounts]).toEqual([
    [-1, 0, 1, 2, 3, 4],
    [-1, 1, 2, 3, 4],
  ])
})
