/** Texts and addresses of notifications. They follow from kind and facts, so they are in the language of the reader. */
import type { TFunction } from 'i18next'
import type { NotificationRow } from '#contract/notifications.ts'
import { isAllowed, isProviderAdmin, type Caller } from '#domain/access.ts'
import { groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import { getTitleName, type NotificationKind } from '#domain/notifications.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import { findMessage } from '#ui/i18n/messages.ts'
import { getJobName } from '#features/activity/job-name.ts'

export const iconByKind: Record<NotificationKind, IconName> = {
  'payment-due': 'price',
  'payment-late': 'price',
  'payment-task': 'price',
  'payment-refunded': 'price',
  'gateway-refund': 'price',
  'refund-failed': 'alert',
  'payment-dispute': 'alert',
  'money-fault': 'alert',
  'contract-ends': 'contract',
  'contract-ended': 'contract',
  'change-rejected': 'outbox',
  'order-removed': 'contract',
  'task-done': 'check',
  'task-failed': 'alert',
  'service-down': 'alert',
  'service-up': 'service',
  'service-stops': 'service',
  'service-erased': 'service',
  'backup-failed': 'alert',
  'new-device': 'device',
  'acting-started': 'users',
}

interface NotificationText {
  title: string
  /** Empty if the title says everything. */
  detail: string
}

export function formatNotification(
  t: TFunction<'notifications'>,
  { kind, facts }: Pick<NotificationRow, 'kind' | 'facts'>,
): NotificationText {
  const values = { code: facts['code'] ?? '', ...readValues(t, kind, facts) }
  const detailKey = getDetailKey(kind, values)
  return {
    title: t(`title.${getTitleName(kind, facts)}`, values),
    detail: findMessage('notifications', `detail.${detailKey}`)
      ? t(`detail.${detailKey}` as 'detail.payment-due', values)
      : '',
  }
}

/** Chooses a shorter text if the fact that it needs is missing. */
function getDetailKey(kind: NotificationKind, { device, lastDay }: { device: string; lastDay: string }) {
  if (kind === 'new-device' && device === '') return 'newDeviceUnknown'
  return isAboutEnd(kind) && lastDay === '' ? 'endUnknown' : kind
}

/** A question of the bank before a dispute. */
const isAboutEnd = (kind: NotificationKind) => kind === 'contract-ends' || kind === 'contract-ended'

function readValues(t: TFunction<'notifications'>, kind: NotificationKind, facts: NotificationRow['facts']) {
  // A missing fact is an empty text, which its sentence then lacks.
  const read = (name: string) => facts[name] ?? ''
  // What ends is the contract, whichever order made it.
  const type = isAboutEnd(kind) && read('payable') === 'order' ? 'contract' : read('type')
  const end = read('end')
  return {
    matter: findMessage('notifications', `matter.${type}`) ?? '',
    // The end is exclusive (D18).
    lastDay: end && getLastDay(end),
    amount: read('amount') && `${read('currency')} ${groupThousands(read('amount'))}`,
    due: read('due').slice(0, 10),
    day: read('day') || end,
    task: read('task') && getJobName(read('task')),
    reason: formatReason(read('problem')) || (kind === 'change-rejected' ? t('seeReason') : ''),
    change: findMessage('notifications', `call.${read('call')}`) ?? t('change'),
    device: [read('browser'), read('system')].filter(Boolean).join(' · '),
    network: read('network'),
    company: read('company'),
    staff: read('staff'),
    scope: findMessage('notifications', `scope.${read('scope')}`) ?? '',
    until: read('until').slice(0, 16),
  }
}

/** A text with values is left out, because a notification has no values of the problem. */
function formatReason(problem: string): string {
  const text = problem === '' ? null : findMessage('problem', problem)
  return text === null || text.includes('{{') ? '' : text
}

const taskPaths: Record<string, string> = {
  publishApps: '/app/apphistory',
  runMoneyCheck: '/app/home',
  verifyTrail: '/app/systrail',
  rehearsePriceList: '/app/m18/price',
}

const fixedPaths: Partial<Record<NotificationKind, string>> = {
  'new-device': '/app/profile/sessions',
  'acting-started': '/app/profile/company',
  'change-rejected': '/app/outbox',
  'payment-task': '/app/home',
  'gateway-refund': '/app/home',
  'refund-failed': '/app/home',
  'payment-dispute': '/app/home',
  'money-fault': '/app/home',
}

/** Returns the address of the page that shows the matter, or null if the user may not open one. */
export function getNotificationPath(
  caller: Caller,
  { kind, facts, order_id: orderId }: NotificationRow,
): string | null {
  const fixedPath = fixedPaths[kind]
  if (fixedPath !== undefined) return fixedPath
  if (kind.startsWith('task-') && orderId === null) return taskPaths[facts['task'] ?? ''] ?? '/app/activity?tab=tasks'
  if (!isAllowed('order', caller)) return isProviderAdmin(caller) ? '/app/service' : null
  if (orderId === null || kind === 'payment-late') return '/app/contract'
  return `/app/contract/${orderId}${isAboutBackups(kind, facts) ? '?tab=subscribe' : ''}`
}

const isAboutBackups = (kind: NotificationKind, { payable = '', task = '' }: NotificationRow['facts']) =>
  kind === 'backup-failed' || ['backup', 'traffic'].includes(payable) || ['backUp', 'restoreBackup'].includes(task)
