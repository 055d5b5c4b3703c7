import { type ClientType, clientTypes, isDeleteLevel } from '#domain/access.ts'
import { chooseClientType } from '#state/client-type.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { startServiceCheck, startReconciliation } from '#features/orders/slice.ts'
import { showResultToast } from '#features/orders/result-toast.ts'

interface Props {
  type: ClientType
  /** Null: the own one. */
  companyId: number | null
  onOwn: () => void
  /** Leads to where one is chosen. */
  onChoose: () => void
}

/** What the provider's admins have beside the list (M67, D53): whose contracts, of which client type, and repairs. */
export function StaffToolbar({ type, companyId, onOwn, onChoose }: Props) {
  const { t } = useTranslation('orders')
  const { caller } = useSignedInSession()
  const isOnline = useConnection().networkState === 'online'
  const dispatch = useDispatch()
  const offlineReason = isOnline ? null : t('reason.offline')
  async function repair() {
    const result = await dispatch(startReconciliation())
    if (result.kind === 'problem') showResultToast(t('tools.reconcile'), result)
    else showToast({ kind: 'note', text: t('tools.reconciled') })
  }
  async function checkHealth() {
    const result = await dispatch(startServiceCheck(companyId))
    if (result.kind === 'problem') return showResultToast(t('tools.recheck'), result)
    if (result.kind !== 'fresh') return
    const { checked, online: onlineCount } = result.output
    const text = t('tools.rechecked', {
      count: checked,
      number: formatNumber(checked),
      online: formatNumber(onlineCount),
    })
    showToast({ kind: 'done', text })
  }
  const typeItems: MenuItem[] = isDeleteLevel(caller)
    ? clientTypes.map((clientType) => ({
        key: clientType,
        label: t('tools.type', { type: clientType }),
        isChosen: clientType === type,
        onSelect: () => chooseClientType(clientType),
      }))
    : []
  const ownCompanyItems: MenuItem[] =
    companyId === null ? [] : [{ key: 'own', label: t('tools.own'), icon: 'home', onSelect: onOwn }]
  const items: MenuItem[] = [
    ...typeItems,
    { key: 'company', label: t('tools.company'), icon: 'company', onSelect: onChoose },
    ...ownCompanyItems,
    {
      key: 'reconcile',
      label: t('tools.reconcile'),
      icon: 'refresh',
      disabledReason: offlineReason,
      onSelect: () => void repair(),
    },
    {
      key: 'recheck',
      label: t('tools.recheck'),
      icon: 'activity',
      disabledReason: offlineReason,
      onSelect: () => void checkHealth(),
    },
  ]
  return <Menu label={t('tools.open')} icon="tools" isIconOnly={false} kind="quiet" items={items} />
}
