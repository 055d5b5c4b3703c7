import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { buildHistoryPath } from '#ui/links/history-path.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import type { MenuItem } from '#ui/overlay/Menu.tsx'
import { findMessage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'
import { findOpenJob, findPasswordJob, type ServiceJob } from '#features/services/operations/jobs.ts'
import {
  type ServiceMenuAction,
  listServiceActions,
  findActionRefusal,
} from '#features/services/operations/service-actions.ts'
import type { OpenServiceDialog } from '#features/services/operations/ServiceDialog.tsx'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import type { ServiceOperationRequest } from '#features/services/slice.ts'
import { useBusinessDay } from '#features/services/useBusinessNow.ts'

const ServiceDialog = lazy(async () => ({
  default: (await import('#features/services/operations/ServiceDialog.tsx')).ServiceDialog,
}))

const icons: Record<ServiceMenuAction, IconName> = {
  create: 'plus',
  update: 'upload',
  reboot: 'refresh',
  configure: 'tools',
  reset: 'key',
  log: 'trail',
  download: 'install',
  remove: 'stop',
  delete: 'remove',
}
const dangerousActions: readonly ServiceMenuAction[] = ['remove', 'delete']

interface ServiceActionsOptions {
  jobs: readonly ServiceJob[] | undefined
  logPath: (row: ServiceRow) => string
  /** Called when an operation has ended, because the displayed row may be stale. */
  onDone: () => void
}

export function useServiceActions({ jobs, logPath, onDone }: ServiceActionsOptions) {
  const { t } = useTranslation('services')
  const { caller } = useSignedInSession()
  const navigate = useNavigate()
  const offlineReason = useUnsendableReason(t('whyNot.offline'))
  const rebootReason = useUnsendableReason(t('whyNot.offline'), null, 'rebootService')
  const configReason = useUnsendableReason(t('whyNot.offline'), null, 'configureService')
  const sendReasons: Partial<Record<ServiceMenuAction, string | null>> = {
    reboot: rebootReason,
    configure: configReason,
  }
  const today = useBusinessDay()
  const [openDialog, setOpenDialog] = useState<OpenServiceDialog | null>(null)
  const close = () => setOpenDialog(null)

  function getDisabledReason(action: ServiceMenuAction, row: ServiceRow): string | null {
    if (action === 'log') return null
    const refusal = findActionRefusal(action, row, caller, today)
    if (action === 'download') return offlineReason
    if (refusal === 'busy') return formatBusy(row)
    if (refusal) return t(`whyNot.${refusal}`, { date: row.period_start ?? '' })
    // The row may not show an operation yet that this device has just started.
    if (findOpenJob(jobs, row)) return t('whyNot.begun')
    return action in sendReasons ? (sendReasons[action] ?? null) : offlineReason
  }
  function formatBusy({ operation }: ServiceRow): string {
    const operationText = findMessage('services', `locked.${operation?.kind}`) ?? ''
    const userName = operation?.user_name ?? null
    return userName === null
      ? t('whyNot.busyItself', { action: operationText })
      : t('whyNot.busy', { user: userName, action: operationText })
  }
  const selectAction = (action: ServiceMenuAction, row: ServiceRow) =>
    action === 'log' ? void navigate(logPath(row)) : setOpenDialog({ kind: action, row })

  const listMenuItems = (row: ServiceRow): MenuItem[] => {
    const trailPath = buildHistoryPath({ code: 'service', name: row.code, companyId: row.company_id }, caller)
    const actionItems = listServiceActions(row, caller, today).map((action) => ({
      key: action,
      label: t(`move.${action}`),
      ...(action === 'remove' || action === 'delete' ? { hint: t(`hint.${action}`) } : {}),
      icon: icons[action],
      isDestructive: dangerousActions.includes(action),
      hasDialog: action !== 'log',
      disabledReason: getDisabledReason(action, row),
      onSelect: () => selectAction(action, row),
    }))
    const passwordJob = findPasswordJob(jobs, row)
    const passwordItems: MenuItem[] = passwordJob
      ? [
          {
            key: 'password',
            label: t('move.password'),
            icon: 'seen',
            hasDialog: true,
            disabledReason: offlineReason,
            onSelect: () => setOpenDialog({ kind: 'password', row, intent: passwordJob.intent }),
          },
        ]
      : []
    const historyItems: MenuItem[] =
      trailPath === null
        ? []
        : [{ key: 'history', label: t('move.history'), icon: 'history', onSelect: () => void navigate(trailPath) }]
    return [
      ...passwordItems,
      ...actionItems.filter(({ isDestructive: danger }) => !danger),
      ...historyItems,
      ...actionItems.filter(({ isDestructive: danger }) => danger),
    ]
  }

  const handleDone = (row: ServiceRow) => (operation: ServiceOperationRequest, intent: Intent) => {
    onDone()
    if ((operation.kind === 'create' && !operation.hasData) || operation.kind === 'reset')
      setOpenDialog({ kind: 'password', row, intent })
  }
  const handleConfigured = (row: ServiceRow) => {
    onDone()
    setOpenDialog({ kind: 'rebootOffer', row })
  }
  return {
    listMenuItems,
    isOffered: (row: ServiceRow, action: ServiceMenuAction) => listServiceActions(row, caller, today).includes(action),
    getDisabledReason,
    openDialog: setOpenDialog,
    dialog: openDialog && (
      <Suspense fallback={null}>
        <ServiceDialog
          openDialog={openDialog}
          onClose={close}
          onDone={handleDone(openDialog.row)}
          onConfigured={handleConfigured}
        />
      </Suspense>
    ),
  }
}
