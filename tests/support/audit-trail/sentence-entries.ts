/** One entry per sentence of the trail, as the server writes it, with its sentence in English. */
import type { SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { failedTransferCases, moneyCases } from '#tests/support/audit-trail/transfer-sentences.ts'

export type SentenceCase = [sentence: string, kind: string, entry?: Partial<SentenceEntry>]

const acme = { ServiceCode: 'acdesenl', OrderId: 7 }
const money = { ...acme, Amount: 'HKD 29000.00', Gateway: 'stripe', Reference: 'pi_1' }
const list = { PriceEffDate: '2027-01-01', PriceDesc: '2027 prices' }
const tim = { UserName: 'Tim Timed', UserId: 9 }
const own = { UserName: 'Amelia Chan', UserId: 5 }
const portal = { exec_user_id: null, exec_user_name: '' }
const byStaff = { ...portal, by_provider: true }
const note = { CustomerCode: 'globex', NoteId: 3 }
const attempt = { request_id: 'payment-12' }
const paid = { ...money, Outcome: 'applied' }
const change = (field: string, before: unknown, after: unknown) =>
  ({ field, before, after }) as SentenceEntry['changes'][number]
const tier = change('concurrentUser.1-10.hkd', '1260.00', '1300.00')

export const doneCases: SentenceCase[] = [
  ['Amelia Chan registered the company Acme', 'company.create', { info: { CompanyName: 'Acme' } }],
  [
    'Amelia Chan changed the company Acme – City: Kowloon → Hong Kong; Website removed',
    'company.update',
    {
      info: { CompanyName: 'Acme' },
      changes: [change('city', 'Kowloon', 'Hong Kong'), change('website', 'https://acme.example', '')],
    },
  ],
  ['Amelia Chan made two-step login required for everybody', 'company.update', { info: { Change: 'required' } }],
  ['Amelia Chan left two-step login up to each user', 'company.update', { info: { Change: 'optional' } }],
  [
    'The portal deleted the company Acme, which was never activated',
    'company.delete',
    { ...portal, info: { CompanyName: 'Acme', Reason: 'never activated' } },
  ],
  [
    "Amelia Chan allowed the provider's staff to act for the company Acme for 4 h",
    'company.enable',
    { info: { CompanyName: 'Acme', Help: 'given', Hours: 4 } },
  ],
  [
    "Amelia Chan allowed the provider's staff to act for the company Acme for 4 h, with changes",
    'company.enable',
    { info: { CompanyName: 'Acme', Help: 'given', HelpChanges: true, Hours: 4 } },
  ],
  ["Amelia Chan ended the consent for the provider's staff", 'company.disable', { info: { Help: 'revoked' } }],
  [
    "The portal recorded that the consent for the provider's staff is over",
    'company.disable',
    { ...portal, info: { Help: 'expired' } },
  ],
  [
    'Stefan Staff (provider staff) began to act for the company Acme',
    'company.enable',
    { ...byStaff, info: { CompanyName: 'Acme', Help: 'started', StaffName: 'Stefan Staff' } },
  ],
  [
    'Stefan Staff (provider staff) began to act for the company Acme, with changes allowed',
    'company.enable',
    { ...byStaff, info: { CompanyName: 'Acme', Help: 'started', HelpChanges: true, StaffName: 'Stefan Staff' } },
  ],
  [
    'Stefan Staff (provider staff) stopped acting for the company Acme',
    'company.disable',
    { ...byStaff, info: { CompanyName: 'Acme', Help: 'stopped', StaffName: 'Stefan Staff' } },
  ],
  ['Amelia Chan added a note about globex', 'company.create', { info: note }],
  ['Amelia Chan changed a note about globex', 'company.update', { info: note }],
  ['Amelia Chan deleted a note about globex', 'company.delete', { info: note }],
  ['Amelia Chan created the user Tim Timed', 'user.create', { info: tim }],
  ['Amelia Chan created their account', 'user.create', { info: own }],
  ['Amelia Chan uploaded a picture', 'user.create', { info: { ...own, File: 'avatar' } }],
  ['Amelia Chan activated their account', 'user.activate', { info: own }],
  [
    'Amelia Chan changed the roles of Tim Timed: Order added',
    'user.update',
    { info: tim, changes: [change('order', false, true)] },
  ],
  [
    'Amelia Chan changed Tim Timed – Admin removed; E-mail: tim@acme.example → t@acme.example and 1 more',
    'user.update',
    {
      info: tim,
      changes: [
        change('title', 0, 1),
        change('email', 'tim@acme.example', 't@acme.example'),
        change('admin', true, false),
      ],
    },
  ],
  [
    'Amelia Chan changed their own profile – Language: English → Chinese',
    'user.update',
    { info: own, changes: [change('language', 'en', 'zh')] },
  ],
  ['Amelia Chan changed their profile picture', 'user.update', { info: { ...own, ChangeCount: 0 } }],
  ['Amelia Chan sent the activation e-mail to Tim Timed', 'user.update', { info: { ...tim, ChangeCount: 0 } }],
  ['Amelia Chan changed the user Tim Timed', 'user.update', { info: tim }],
  ['Amelia Chan changed their password', 'user.update', { info: { ...own, Field: 'password' } }],
  ['Amelia Chan ended all of their other sessions', 'user.update', { info: { ...own, Field: 'sessions' } }],
  ['Amelia Chan ended all sessions of Tim Timed', 'user.update', { info: { ...tim, Field: 'sessions' } }],
  ['Amelia Chan added a passkey', 'user.update', { info: { Field: 'passkey', Change: 'added' } }],
  [
    'Amelia Chan removed an authenticator app',
    'user.update',
    { info: { Field: 'authenticator app', Change: 'removed' } },
  ],
  ['Amelia Chan renamed a passkey', 'user.update', { info: { Field: 'passkey', Change: 'renamed' } }],
  ['Amelia Chan used a recovery code', 'user.update', { info: { Field: 'recovery code', Change: 'used' } }],
  ['Amelia Chan created new recovery codes', 'user.update', { info: { Field: 'recovery codes', Change: 'renewed' } }],
  ['Amelia Chan reset the two-step login of Tim Timed', 'user.reset', { info: { ...tim, Field: 'second factor' } }],
  ['Amelia Chan enabled the user Tim Timed', 'user.enable', { info: tim }],
  ['Amelia Chan disabled the user Tim Timed', 'user.disable', { info: tim }],
  ['Amelia Chan deleted the user Tim Timed', 'user.delete', { info: tim }],
  ['Amelia Chan logged in', 'user.login', { info: own }],
  ['Amelia Chan logged in with a passkey', 'user.login', { info: { ...own, Factor: 'passkey' } }],
  ['Amelia Chan logged in and set up two-step login', 'user.login', { info: { ...own, Factor: 'set up' } }],
  ['Amelia Chan ordered acdesenl for HKD 29,000.00', 'order.create', { info: { ...money, OrderType: 'create' } }],
  [
    'Amelia Chan ordered acdesenl; HKD 29,000.00 were waived',
    'order.create',
    { info: { ...money, OrderType: 'create', Waived: 'HKD 29000.00' } },
  ],
  [
    'Amelia Chan ordered the extension of acdesenl for HKD 29,000.00',
    'order.update',
    { info: { ...money, OrderType: 'extend' } },
  ],
  [
    'Provider staff ordered a change of acdesenl for HKD 29,000.00',
    'order.update',
    { ...byStaff, info: { ...money, OrderType: 'change' } },
  ],
  [
    'Amelia Chan ordered the extension of acdesenl; HKD 29,000.00 were waived',
    'order.update',
    { info: { ...money, OrderType: 'extend', Waived: 'HKD 29000.00' } },
  ],
  [
    'Amelia Chan ordered a change of acdesenl; HKD 29,000.00 were waived',
    'order.update',
    { info: { ...money, OrderType: 'change', Waived: 'HKD 29000.00' } },
  ],
  [
    'Amelia Chan undid the last change of acdesenl',
    'order.update',
    { info: { ...acme, Undoes: 'C-2', Restores: 'C-1' } },
  ],
  [
    'Provider staff moved the payment alert of acdesenl to 2027-02-01',
    'order.update',
    { ...byStaff, info: { ...acme, AlertDate: '2027-02-01' } },
  ],
  [
    'Provider staff removed the payment alert date of acdesenl',
    'order.update',
    { ...byStaff, info: { ...acme, AlertDate: '' } },
  ],
  ['Amelia Chan deleted the unpaid order of acdesenl', 'order.delete', { info: { ...acme, OrderType: 'create' } }],
  ['Amelia Chan deleted the unpaid extension of acdesenl', 'order.delete', { info: { ...acme, OrderType: 'extend' } }],
  ['Amelia Chan deleted the unpaid change of acdesenl', 'order.delete', { info: { ...acme, OrderType: 'change' } }],
  ['Amelia Chan created a calendar link', 'order.create', { info: { Field: 'calendar' } }],
  ['Amelia Chan removed the calendar link', 'order.delete', { info: { Field: 'calendar' } }],
  ['Amelia Chan printed the contract of acdesenl', 'order.print', { info: acme }],
  [
    'Amelia Chan opened invoice I202611000001 of acdesenl',
    'order.print',
    { info: { ...acme, InvoiceNo: 'I202611000001' } },
  ],
  [
    'Amelia Chan opened credit note CN202611000001 of acdesenl',
    'order.print',
    { info: { ...acme, CreditNoteNo: 'CN202611000001' } },
  ],
  ['Amelia Chan paid HKD 29,000.00 for acdesenl', 'order.pay', { ...attempt, info: paid }],
  ['The portal received HKD 29,000.00 for acdesenl', 'order.pay', { ...attempt, ...portal, info: paid }],
  [
    'Amelia Chan paid HKD 29,000.00 for acdesenl, which was not applied: Paid too late',
    'order.pay',
    { ...attempt, info: { ...money, Outcome: 'too late' } },
  ],
  [
    'The portal received HKD 29,000.00 for acdesenl, which was not applied: It was already paid',
    'order.pay',
    { ...attempt, ...portal, info: { ...money, Outcome: 'paid already' } },
  ],
  ['Provider staff applied a payment of HKD 29,000.00 to acdesenl', 'order.pay', { ...byStaff, info: paid }],
  ...moneyCases,
  ['The portal set up the service acdesenl', 'service.create', { ...portal, info: { ...acme, By: 'schedule' } }],
  ['Amelia Chan updated the service acdesenl', 'service.update', { info: acme }],
  ['Amelia Chan removed the service acdesenl', 'service.remove', { info: acme }],
  ['Amelia Chan deleted the service acdesenl with its data', 'service.delete', { info: acme }],
  ['The portal started the service acdesenl', 'service.enable', { ...portal, info: acme }],
  ['The portal stopped the service acdesenl', 'service.disable', { ...portal, info: acme }],
  ['Amelia Chan reset the password of the service acdesenl', 'service.reset', { info: acme }],
  ['Amelia Chan rebooted the service acdesenl', 'service.reboot', { info: acme }],
  [
    'Amelia Chan changed the service acdesenl – Task memory (MB): 1000 → 2000; Task count: Left to the platform → 2',
    'service.config',
    { info: acme, changes: [change('task_runtime_memory', 1000, 2000), change('task_desire_count', -1, 2)] },
  ],
  ['Amelia Chan configured the service acdesenl', 'service.config', { info: acme }],
  ['Amelia Chan downloaded the log of the service acdesenl', 'service.export', { info: acme }],
  ['Amelia Chan ordered backups of acdesenl for HKD 29,000.00', 'backup.create', { info: money }],
  [
    'Amelia Chan ordered backups of acdesenl; HKD 29,000.00 were waived',
    'backup.create',
    { info: { ...money, Waived: 'HKD 29000.00' } },
  ],
  ['The portal backed up acdesenl', 'backup.backup', { ...portal, info: { ...acme, By: 'schedule' } }],
  [
    'Amelia Chan restored a backup of acdesenl to acother',
    'backup.restore',
    { info: { ServiceCode: 'acother', BackupId: 3, FromService: 'acdesenl', IntoService: 'acother' } },
  ],
  ['Provider staff suspended the backups of acdesenl', 'backup.disable', { ...byStaff, info: acme }],
  [
    'The portal suspended the backups of acdesenl, because the traffic of 2026-10 is not paid',
    'backup.disable',
    { ...portal, info: { ...acme, Month: '2026-10', By: 'schedule' } },
  ],
  ['Provider staff resumed the backups of acdesenl', 'backup.enable', { ...byStaff, info: acme }],
  ['Amelia Chan printed the backup order of acdesenl', 'backup.print', { info: acme }],
  ['Amelia Chan printed the traffic of acdesenl in 2026-10', 'backup.print', { info: { ...acme, Month: '2026-10' } }],
  ['Amelia Chan paid HKD 29,000.00 for backups of acdesenl', 'backup.pay', { ...attempt, info: paid }],
  ['The portal received HKD 29,000.00 for backups of acdesenl', 'backup.pay', { ...attempt, ...portal, info: paid }],
  [
    'Amelia Chan paid HKD 29,000.00 for the traffic of acdesenl in 2026-10',
    'backup.pay',
    { ...attempt, info: { ...paid, Month: '2026-10' } },
  ],
  [
    'The portal received HKD 29,000.00 for the traffic of acdesenl in 2026-10',
    'backup.pay',
    { ...attempt, ...portal, info: { ...paid, Month: '2026-10' } },
  ],
  ['Amelia Chan created the price list of 2027-01-01', 'price.create', { info: list, changes: [tier, tier, tier] }],
  ['Amelia Chan imported the price list of 2027-01-01', 'price.import', { info: list }],
  ['Amelia Chan exported the price list of 2027-01-01', 'price.export', { info: list }],
  [
    'Amelia Chan changed Concurrent users 1–10, HKD: 1,260.00 → 1,300.00 in the price list of 2027-01-01',
    'price.update',
    { info: { ...list, ChangeCount: 1 }, changes: [tier] },
  ],
  [
    'Amelia Chan changed Concurrent users 1–10, HKD: 1,260.00 → 1,300.00; Module fin, USD: 2,310.00 → 2,400.00 and 23 more in the price list of 2027-01-01',
    'price.update',
    {
      info: { ...list, ChangeCount: 25 },
      changes: [tier, change('module.fin.usd', '2310.00', '2400.00'), ...Array.from({ length: 18 }, () => tier)],
    },
  ],
  [
    'Amelia Chan saved the price list of 2027-01-01 without changing it',
    'price.update',
    { info: { ...list, ChangeCount: 0 } },
  ],
  [
    'Amelia Chan confirmed the price list of 2027-01-01',
    'price.confirm',
    { info: { ...list, ChangeCount: 1 }, changes: [change('confirmed', 'false', 'true')] },
  ],
  [
    'Amelia Chan confirmed the price list of 2027-01-01 and changed Concurrent users 1–10, HKD: 1,260.00 → 1,300.00',
    'price.confirm',
    { info: { ...list, ChangeCount: 2 }, changes: [change('confirmed', 'false', 'true'), tier] },
  ],
  ['Amelia Chan withdrew the price list of 2027-01-01', 'price.withdraw', { info: list }],
  ['Amelia Chan restored the price list of 2027-01-01', 'price.restore', { info: list }],
  ['Amelia Chan deleted the price list of 2027-01-01', 'price.delete', { info: list, changes: [tier] }],
  ['Amelia Chan created the module fin', 'module.create', { info: { ModuleCode: 'fin' } }],
  [
    'Amelia Chan changed the module fin – Name: Finance → Finances; Apps: hr added, acc removed',
    'module.update',
    {
      info: { ModuleCode: 'fin' },
      changes: [change('apps', [{ code: 'acc' }], [{ code: 'hr' }]), change('name', 'Finance', 'Finances')],
    },
  ],
  [
    'Amelia Chan changed the hidden module auto_1 – Conditions: fin added; Dependencies: core removed',
    'automodule.update',
    {
      info: { ModuleCode: 'auto_1' },
      changes: [change('conditions', [], ['fin']), change('dependencies', ['core', 'hr'], ['hr'])],
    },
  ],
  ['Amelia Chan uploaded the app acc (acc-1.2.mapp)', 'app.upload', { info: { AppCode: 'acc', File: 'acc-1.2.mapp' } }],
  ['Amelia Chan published the app acc', 'app.create', { info: { AppCode: 'acc', File: 'acc-1.2.mapp' } }],
  ['Amelia Chan exported the audit trail', 'system.export', { info: { Format: 'csv' } }],
  [
    'Amelia Chan saved the audit trail from 2026-11-01 to 2026-11-30 on a device',
    'system.export',
    { info: { Format: 'device', DateFrom: '2026-11-01', DateTo: '2026-11-30' } },
  ],
  [
    'The portal moved old entries of the audit trail to an archive file',
    'system.remove',
    { ...portal, info: { File: 'a' } },
  ],
  ['The portal announced the next key of the audit trail', 'system.config', { ...portal, info: { NextKey: 'ab' } }],
  [
    'The portal recorded that the database was restored from a backup',
    'system.restore',
    { ...portal, info: { Epoch: 1 } },
  ],
]

const refused = (path: string, info: SentenceEntry['info'] = {}) => ({ info: { ...info, path } })
const loginTimes = { From: '2026-11-24 15:06:12', To: '2026-11-24 15:16:12', Network: '10.0.0.0/24' }

/** The kinds are those of `describeFailure` on the server. All entries have failed. */
export const failedCases: SentenceCase[] = [
  [
    "Amelia Chan could not delete the user Tim Timed: You can't do this to your own account. Ask another administrator.",
    'user.delete',
    { info: { ...tim, problem: 'SELF_FORBIDDEN' } },
  ],
  [
    'Somebody tried 20 times to log in as Tim Timed, without success',
    'user.login',
    { ...portal, info: { ...tim, ...loginTimes, Count: 20 } },
  ],
  [
    'Somebody tried once to log in as Tim Timed, without success',
    'user.login',
    { ...portal, info: { ...tim, ...loginTimes, Count: 1 } },
  ],
  [
    'Amelia Chan was logged out, because a copied session was used',
    'user.login',
    { info: { ...own, Reason: 'token reused' } },
  ],
  ["Amelia Chan could not change the consent for the provider's staff", 'company.create', refused('/api/m18s/consent')],
  ['Amelia Chan could not save a note about a customer', 'company.create', refused('/api/customer/7/note')],
  ['Amelia Chan could not delete a note about a customer', 'company.delete', refused('/api/customer/7/note/3')],
  ['Amelia Chan could not upload a picture', 'user.upload', refused('/api/m18s/asset')],
  ['Amelia Chan could not change their password', 'user.create', refused('/api/m18s/password')],
  ['Amelia Chan could not end sessions of Tim Timed', 'user.delete', refused('/api/m18s/user/9/sessions', tim)],
  [
    'Amelia Chan could not change the two-step login of Tim Timed',
    'user.reset',
    refused('/api/m18s/user/9/mfa/reset', tim),
  ],
  ['Amelia Chan could not delete the keys of a device', 'user.delete', refused('/api/m18s/user/seal-keys')],
  [
    'Amelia Chan could not send the activation e-mail to Tim Timed',
    'user.update',
    refused('/api/users/activatemail/9', tim),
  ],
  ['Amelia Chan could not create a calendar link', 'user.create', refused('/api/m18s/calendar')],
  ['Amelia Chan could not remove the calendar link', 'user.delete', refused('/api/m18s/calendar')],
  ['Amelia Chan could not undo the last change of acdesenl', 'order.update', refused('/api/contract/3/undo', acme)],
  ['Amelia Chan could not move the payment alert of acdesenl', 'order.update', refused('/api/sorder/alertDate', acme)],
  ['Amelia Chan could not pay for the contract acdesenl', 'order.pay', refused('/api/payment/3', acme)],
  ['Amelia Chan could not check the payment for acdesenl', 'order.create', refused('/api/payment/3/check', acme)],
  ['Amelia Chan could not check the payments', 'order.create', refused('/api/payment/reconcile')],
  [
    'Amelia Chan could not refund HKD 29,000.00 for acdesenl',
    'order.refund',
    { info: { ...money, Outcome: 'refused' } },
  ],
  ['Amelia Chan could not refund a payment for a contract', 'order.refund', refused('/api/payment/tasks/3/refund')],
  ...failedTransferCases,
  ['The portal could not set up the service acdesenl', 'service.create', { ...portal, info: acme }],
  [
    'Amelia Chan could not read the password of the service acdesenl',
    'service.create',
    refused('/api/aws/password/3', acme),
  ],
  ['Amelia Chan could not download the log of the service acdesenl', 'service.create', refused('/api/aws/log', acme)],
  ['Amelia Chan could not check the services', 'service.create', refused('/api/aws/recheck')],
  ['Amelia Chan could not update the service acdesenl', 'service.update', { info: acme }],
  ['The portal could not start the service acdesenl', 'service.enable', { ...portal, info: acme }],
  ['The portal could not stop the service acdesenl', 'service.disable', { ...portal, info: acme }],
  ['Amelia Chan could not reset the password of the service acdesenl', 'service.reset', { info: acme }],
  ['Amelia Chan could not order backups of acdesenl', 'backup.create', refused('/api/pdb/order', acme)],
  ['The portal could not back up acdesenl', 'backup.backup', { ...portal, info: acme }],
  [
    'The portal could not back up acdesenl: There is no space left.',
    'backup.backup',
    { ...portal, info: { ...acme, problem: 'no_room' } },
  ],
  [
    'Amelia Chan could not restore a backup of acdesenl to acother',
    'backup.restore',
    { info: { ServiceCode: 'acother', FromService: 'acdesenl' } },
  ],
  [
    'Amelia Chan could not suspend or resume the backups of acdesenl',
    'backup.disable',
    refused('/api/pdb/traffic/3', acme),
  ],
  ['Amelia Chan could not publish an app', 'app.create', refused('/api/app')],
  ['Amelia Chan could not export the audit trail', 'system.export', refused('/api/systrail/keep')],
  ['Amelia Chan could not verify the audit trail', 'system.create', refused('/api/systrail/verify')],
]
