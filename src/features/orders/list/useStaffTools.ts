import { clientTypeNames } from '#ui/display/client-type-name.ts'
import { recheckServices } from '#contract/services.ts'
import { reconcilePayments } from '#contract/payments.ts'
import { type ClientType, clientTypes, isDeleteLevel } from '#domain/access.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { chooseClientType } from '#state/client-type.ts'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import type { MenuItem } from '#ui/overlay/Menu.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
import { useCompact } from '#ui/page/useCompact.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { showOrderToast } from '#features/orders/order-toast.ts'

interface StaffToolsOptions {
  type: ClientType
  /** The displayed company. Null for all companies. */
  companyId: number | null
  onOwn: () => void
  onChoose: () => void
}

/** Returns the menu of the provider's admins (M67, D53): it selects the company and the client type, and starts repairs. */
export function useStaffTools({ type, companyId, onOwn, onChoose }: StaffToolsOptions): PageTool {
  const { t } = useTranslation('orders')
  const { caller, user } = useSignedInSession()
  const isCompact = useCompact()
  const offlineReason = useOfflineReason(t('reason.offline'))
  const reconciliation = useAction(reconcilePayments)
  const serviceCheck = useAction(recheckServices)
  async function startReconciliation() {
    const result = await reconciliation.run({ body: {} }, { until: 'started' })
    if (result.kind === 'problem') showOrderToast(t('tools.reconcile'), result)
    else showToast({ kind: 'note', text: t('tools.reconciled') })
  }
  async function checkServices() {
    const result = await serviceCheck.run({ query: companyId === null ? {} : { companyId } })
    if (result.kind === 'problem') return showOrderToast(t('tools.recheck'), result)
    if (result.kind !== 'fresh') return
    const { checked, online: onlineCount } = result.output
    const numbers = { count: checked, number: formatNumber(checked), online: formatNumber(onlineCount) }
    showToast({ kind: 'done', text: t('tools.rechecked', numbers) })
  }
  const items: (MenuItem & { isOffered?: boolean })[] = [
    ...clientTypes.map((clientType) => ({
      key: clientType,
      label: t('tools.type', { type: clientTypeNames[clientType] }),
      isChosen: clientType === type,
      isOffered: isDeleteLevel(caller),
      onSelect: () => chooseClientType(clientType),
    })),
    // On a phone the company is chosen in the sheet of filters.
    { key: 'company', label: t('tools.company'), icon: 'company', isOffered: !isCompact, onSelect: onChoose },
    { key: 'own', label: t('tools.own'), icon: 'home', isOffered: companyId !== user.company_id, onSelect: onOwn },
    {
      key: 'reconcile',
      label: t('tools.reconcile'),
      icon: 'refresh',
      disabledReason: offlineReason,
      onSelect: () => void startReconciliation(),
    },
    {
      key: 'recheck',
      label: t('tools.recheck'),
      icon: 'pulse',
      disabledReason: offlineReason,
      onSelect: () => void checkServices(),
    },
  ]
  return {
    key: 'tools',
    label: t('tools.open'),
    icon: 'tools',
    items: items.filter(({ isOffered = true }) => isOffered),
  }
}
