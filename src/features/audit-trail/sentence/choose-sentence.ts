/** Chooses the sentence of an entry (decision 106). The rules follow the entries that the server writes. */
import { type AuditEntryRow, type AuditOperation, auditOperations } from '#domain/audit-log/leaf.ts'
import type en from '#locales/en/sentences.json'

export type SentenceEntry = Pick<
  AuditEntryRow,
  | 'code'
  | 'operation'
  | 'status'
  | 'info'
  | 'changes'
  | 'exec_user_id'
  | 'exec_user_name'
  | 'by_provider'
  | 'request_id'
>

/** Plural forms have one name. */
type PlainKey<Key> = Key extends `${infer Name}_${'one' | 'other'}` ? Name : Key
type DoneSentence = PlainKey<keyof typeof en.done>
type FailedSentence = PlainKey<keyof typeof en.failed>
export type SentenceKey = `done.${DoneSentence}` | `failed.${FailedSentence}`

type Test = (entry: SentenceEntry) => boolean
interface SentenceRule<Name> {
  name: Name
  /** Omitted if the rule matches every entry of this kind. */
  matches?: Test
}
type SentenceRules<Name> = Readonly<Record<string, readonly SentenceRule<Name>[]>>

const hasInfo =
  (key: string, ...values: unknown[]): Test =>
  ({ info }) =>
    values.length === 0 ? Object.hasOwn(info, key) : values.includes(info[key])
const isOwn: Test = ({ info, exec_user_id: userId }) => userId !== null && info['UserId'] === userId
const isAnonymous: Test = ({ exec_user_id: userId, by_provider: isByStaff }) => userId === null && !isByStaff
/** A received bank transfer (decision 124). */
const isTransfer = hasInfo('TransferId')
/** A note of the staff about a customer (decision 107). */
const isNote = hasInfo('NoteId')
const isUnchanged = hasInfo('ChangeCount', 0)
const hasChanges: Test = ({ changes }) => changes.length > 0
const both =
  (...tests: Test[]): Test =>
  (entry) =>
    tests.every((test) => test(entry))

const roleFields: readonly string[] = ['admin', 'order', 'alert']
const hasOnlyRoles: Test = ({ changes }) =>
  changes.length > 0 && changes.every(({ field }) => roleFields.includes(field))
/** A payment is recorded under the number of its attempt. If the staff apply one that was left over, their own request is recorded. */
const isAppliedByStaff: Test = ({ info, request_id: requestId }) =>
  info['Outcome'] === 'applied' && !requestId.startsWith('payment-')
const isUnused: Test = ({ info }) => Object.hasOwn(info, 'Outcome') && info['Outcome'] !== 'applied'
const isConfirmedWithChanges: Test = ({ changes }) => changes.some(({ field }) => field !== 'confirmed')

const updateRules: readonly SentenceRule<DoneSentence>[] = [
  { name: 'saved', matches: isUnchanged },
  { name: 'changed', matches: hasChanges },
]

/** Sentences of successful entries, by type and operation. The first match is used. Without one, the operation has a sentence. */
const doneRules: SentenceRules<DoneSentence> = {
  'company.create': [{ name: 'noteCreate', matches: isNote }, { name: 'companyCreate' }],
  'company.enable': [
    { name: 'helpGivenChanges', matches: both(hasInfo('Help', 'given'), hasInfo('HelpChanges', true)) },
    { name: 'helpGiven', matches: hasInfo('Help', 'given') },
    { name: 'helpStartedChanges', matches: both(hasInfo('Help', 'started'), hasInfo('HelpChanges', true)) },
    { name: 'helpStarted', matches: hasInfo('Help', 'started') },
  ],
  'company.disable': [
    { name: 'helpRevoked', matches: hasInfo('Help', 'revoked') },
    { name: 'helpExpired', matches: hasInfo('Help', 'expired') },
    { name: 'helpStopped', matches: hasInfo('Help', 'stopped') },
  ],
  'company.update': [
    { name: 'noteUpdate', matches: isNote },
    { name: 'factorRequired', matches: hasInfo('Change', 'required') },
    { name: 'factorOptional', matches: hasInfo('Change', 'optional') },
    ...updateRules,
  ],
  'company.delete': [
    { name: 'noteDelete', matches: isNote },
    { name: 'companyNeverActivated', matches: hasInfo('Reason', 'never activated') },
  ],
  'user.create': [
    { name: 'userPicture', matches: hasInfo('File') },
    { name: 'userCreateOwn', matches: isOwn },
  ],
  'user.activate': [{ name: 'userActivate' }],
  'user.update': [
    { name: 'userPassword', matches: hasInfo('Field', 'password') },
    { name: 'userSessionsOwn', matches: both(hasInfo('Field', 'sessions'), isOwn) },
    { name: 'userSessions', matches: hasInfo('Field', 'sessions') },
    { name: 'userFactorAdded', matches: hasInfo('Change', 'added') },
    { name: 'userFactorRemoved', matches: hasInfo('Change', 'removed') },
    { name: 'userFactorRenamed', matches: hasInfo('Change', 'renamed') },
    { name: 'userFactorUsed', matches: hasInfo('Change', 'used') },
    { name: 'userFactorRenewed', matches: hasInfo('Change', 'renewed') },
    // An update without changed fields is a new picture, or a new activation mail, which is never sent to oneself.
    { name: 'userPictureChanged', matches: both(isUnchanged, isOwn) },
    { name: 'userMail', matches: isUnchanged },
    { name: 'userProfile', matches: both(hasChanges, isOwn) },
    { name: 'userRoles', matches: hasOnlyRoles },
    { name: 'userChanged', matches: hasChanges },
  ],
  'user.reset': [{ name: 'userFactorReset' }],
  'user.login': [
    { name: 'userLoginSetUp', matches: hasInfo('Factor', 'set up') },
    { name: 'userLoginFactor', matches: hasInfo('Factor') },
  ],
  'order.create': [
    { name: 'calendarCreate', matches: hasInfo('Field', 'calendar') },
    { name: 'proformaCreate', matches: hasInfo('ProformaNo') },
    { name: 'transferRecord', matches: isTransfer },
    { name: 'orderWaived', matches: hasInfo('Waived') },
    { name: 'orderCreate', matches: hasInfo('Amount') },
  ],
  'order.update': [
    { name: 'transferReturn', matches: both(isTransfer, hasInfo('Outcome', 'returned')) },
    { name: 'transferDismiss', matches: isTransfer },
    { name: 'orderUndo', matches: hasInfo('Undoes') },
    { name: 'orderAlertDateRemoved', matches: hasInfo('AlertDate', '') },
    { name: 'orderAlertDate', matches: hasInfo('AlertDate') },
    { name: 'orderExtendWaived', matches: both(hasInfo('OrderType', 'extend'), hasInfo('Waived')) },
    { name: 'orderChangeWaived', matches: both(hasInfo('OrderType', 'change'), hasInfo('Waived')) },
    { name: 'orderExtend', matches: hasInfo('OrderType', 'extend') },
    { name: 'orderChange', matches: hasInfo('OrderType', 'change') },
  ],
  'order.delete': [
    { name: 'calendarDelete', matches: hasInfo('Field', 'calendar') },
    { name: 'orderDeleteExtension', matches: hasInfo('OrderType', 'extend') },
    { name: 'orderDeleteChange', matches: hasInfo('OrderType', 'change') },
    { name: 'orderDelete', matches: hasInfo('OrderType', 'create') },
  ],
  'order.print': [
    { name: 'creditNotePrint', matches: hasInfo('CreditNoteNo') },
    { name: 'proformaPrint', matches: hasInfo('ProformaNo') },
    { name: 'invoicePrint', matches: hasInfo('InvoiceNo') },
    { name: 'orderPrint' },
  ],
  'order.pay': [
    { name: 'orderPayReceivedUnused', matches: both(isUnused, isAnonymous) },
    { name: 'orderPayUnused', matches: isUnused },
    { name: 'orderPayReceived', matches: isAnonymous },
    { name: 'orderPayApplied', matches: isAppliedByStaff },
    { name: 'orderPay', matches: hasInfo('Amount') },
  ],
  'order.refund': [
    { name: 'refundRequested', matches: hasInfo('Outcome', 'refunding') },
    { name: 'refundSeen', matches: hasInfo('Outcome', 'seen') },
    { name: 'refundAssigned', matches: hasInfo('Outcome', 'assigned') },
    { name: 'refundFound', matches: isAnonymous },
    { name: 'refunded', matches: hasInfo('Amount') },
  ],
  'order.import': [{ name: 'statementImport', matches: hasInfo('TransferCount') }],
  'order.confirm': [{ name: 'transferCredit', matches: isTransfer }],
  'order.withdraw': [{ name: 'transferCorrect', matches: isTransfer }],
  'service.create': [{ name: 'serviceCreate' }],
  'service.update': [{ name: 'serviceUpdate' }],
  'service.delete': [{ name: 'serviceDelete' }],
  'service.enable': [{ name: 'serviceStart' }],
  'service.disable': [{ name: 'serviceStop' }],
  'service.reset': [{ name: 'servicePassword' }],
  'service.config': [{ name: 'changed', matches: hasChanges }],
  'service.export': [{ name: 'serviceLog' }],
  'backup.create': [
    { name: 'backupWaived', matches: hasInfo('Waived') },
    { name: 'backupOrder', matches: hasInfo('Amount') },
  ],
  'backup.pay': [
    { name: 'orderPayReceivedUnused', matches: both(isUnused, isAnonymous) },
    { name: 'orderPayUnused', matches: isUnused },
    { name: 'trafficPayReceived', matches: both(hasInfo('Month'), isAnonymous) },
    { name: 'backupPayReceived', matches: isAnonymous },
    { name: 'orderPayApplied', matches: isAppliedByStaff },
    { name: 'trafficPay', matches: hasInfo('Month') },
    { name: 'backupPay', matches: hasInfo('Amount') },
  ],
  'backup.refund': [
    { name: 'refundRequested', matches: hasInfo('Outcome', 'refunding') },
    { name: 'refundSeen', matches: hasInfo('Outcome', 'seen') },
    { name: 'refundAssigned', matches: hasInfo('Outcome', 'assigned') },
    { name: 'refundFound', matches: isAnonymous },
    { name: 'refunded', matches: hasInfo('Amount') },
  ],
  'backup.backup': [{ name: 'backupStart' }],
  'backup.restore': [{ name: 'backupRestore', matches: hasInfo('FromService') }],
  'backup.disable': [{ name: 'backupOverdue', matches: hasInfo('Month') }, { name: 'backupSuspend' }],
  'backup.enable': [{ name: 'backupResume' }],
  'backup.print': [{ name: 'trafficPrint', matches: hasInfo('Month') }, { name: 'backupPrint' }],
  'price.update': [
    { name: 'saved', matches: isUnchanged },
    { name: 'priceChanged', matches: hasChanges },
  ],
  'price.confirm': [{ name: 'priceConfirmedChanged', matches: isConfirmedWithChanges }],
  'module.update': updateRules,
  'automodule.update': updateRules,
  'app.upload': [{ name: 'appUpload', matches: hasInfo('File') }],
  'app.create': [{ name: 'appCreate' }],
  'system.export': [{ name: 'trailStore', matches: hasInfo('Format', 'device') }, { name: 'trailExport' }],
  'system.remove': [{ name: 'trailArchive' }],
  'system.config': [{ name: 'trailKey' }],
  'system.restore': [{ name: 'trailRestore' }],
}

/** Matches the path of a refused call. Its type and operation follow from the method alone (server/commands/describe-failure.ts). */
const hasPath =
  (pattern: RegExp): Test =>
  ({ info }) =>
    typeof info['path'] === 'string' && pattern.test(info['path'])

/** Refused calls of which the type and operation do not say enough. */
const pathRules: readonly SentenceRule<FailedSentence>[] = [
  {
    name: 'noteDelete',
    matches: both(hasPath(/\/customer\/[^/]+\/note\b/), ({ operation }) => operation === 'delete'),
  },
  { name: 'help', matches: hasPath(/\/m18s\/consent\b/) },
  { name: 'note', matches: hasPath(/\/customer\/[^/]+\/note\b/) },
  { name: 'userDevice', matches: hasPath(/\/seal-keys\b/) },
  { name: 'userFactors', matches: hasPath(/\/mfa\b/) },
  { name: 'userPicture', matches: hasPath(/\/m18s\/asset\b/) },
  { name: 'userPassword', matches: hasPath(/\/m18s\/password\b/) },
  { name: 'userSessions', matches: hasPath(/\/sessions\b/) },
  { name: 'userMail', matches: hasPath(/\/users\/activatemail\b/) },
  { name: 'calendarDelete', matches: both(hasPath(/\/calendar\b/), ({ operation }) => operation === 'delete') },
  { name: 'calendarCreate', matches: hasPath(/\/calendar\b/) },
  { name: 'orderUndo', matches: hasPath(/\/contract\/[^/]+\/undo\b/) },
  { name: 'orderAlertDate', matches: hasPath(/\/alertDate\b/) },
  { name: 'paymentsCheck', matches: hasPath(/\/payment\/reconcile\b/) },
  { name: 'paymentCheck', matches: hasPath(/\/payment\/[^/]+\/check\b/) },
  { name: 'statementImport', matches: hasPath(/\/bank-transfers\/import\b/) },
  { name: 'transferCredit', matches: hasPath(/\/bank-transfers\/[^/]+\/credit\b/) },
  { name: 'transferClose', matches: hasPath(/\/bank-transfers\/[^/]+\/close\b/) },
  { name: 'transferCorrect', matches: hasPath(/\/bank-transfers\/[^/]+\/correct\b/) },
  { name: 'transferRecord', matches: hasPath(/\/bank-transfers\b/) },
  { name: 'serviceReadPassword', matches: hasPath(/\/aws\/password\b/) },
  { name: 'serviceLog', matches: hasPath(/\/aws\/log\b/) },
  { name: 'servicesCheck', matches: hasPath(/\/aws\/recheck\b/) },
  { name: 'backupOrder', matches: hasPath(/\/pdb\/order\b/) },
  { name: 'backupSuspend', matches: hasPath(/\/pdb\/traffic\b/) },
  { name: 'trailVerify', matches: hasPath(/\/systrail\/verify\b/) },
]

const failedRules: SentenceRules<FailedSentence> = {
  'user.login': [
    { name: 'userCopiedSession', matches: hasInfo('Reason', 'token reused') },
    { name: 'userLogin', matches: hasInfo('Count') },
  ],
  'order.refund': [{ name: 'refundAmount', matches: hasInfo('Amount') }],
  'service.create': [{ name: 'serviceCreate' }],
  'service.update': [{ name: 'serviceUpdate' }],
  'service.enable': [{ name: 'serviceStart' }],
  'service.disable': [{ name: 'serviceStop' }],
  'service.reset': [{ name: 'servicePassword' }],
  'service.export': [{ name: 'serviceLog' }],
  'backup.create': [{ name: 'backupOrder' }],
  'backup.refund': [{ name: 'refundAmount', matches: hasInfo('Amount') }],
  'backup.backup': [{ name: 'backupStart' }],
  'backup.restore': [{ name: 'backupRestore', matches: hasInfo('FromService') }],
  'backup.disable': [{ name: 'backupSuspend' }],
  'backup.enable': [{ name: 'backupSuspend' }],
  'app.create': [{ name: 'appCreate' }],
  'system.export': [{ name: 'trailExport' }],
}

const findRule = <Name>(rules: readonly SentenceRule<Name>[], entry: SentenceEntry): Name | undefined =>
  rules.find(({ matches }) => !matches || matches(entry))?.name

const findOperationSentence = (operation: string): AuditOperation | undefined =>
  auditOperations.find((candidate) => candidate === operation)

/** Returns the key of the sentence, or null for an operation that is newer than this build. */
export function chooseSentence(entry: SentenceEntry): SentenceKey | null {
  const kind = `${entry.code}.${entry.operation}`
  if (entry.status === -1) {
    const name = findRule([...pathRules, ...(failedRules[kind] ?? [])], entry) ?? findOperationSentence(entry.operation)
    return name === undefined ? null : `failed.${name}`
  }
  const name = findRule(doneRules[kind] ?? [], entry) ?? findOperationSentence(entry.operation)
  return name === undefined ? null : `done.${name}`
}
