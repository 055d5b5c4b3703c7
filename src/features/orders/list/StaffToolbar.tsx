import { type ClientType, clientTypes, isDeleteLevel } from '#domain/access.ts'
import { chooseClientType } from '#state/client-type.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { recheck, reconcile } from '#features/orders/slice.ts'
import { tellOf } from '#features/orders/result-toast.ts'

interface Props {
  type: ClientType
  /** Null: the own one. */
  company: number | null
  onOwn: () => void
  /** Leads to where one is chosen. */
  onChoose: () => void
}

/** What the provider's admins have beside the list (M67, D53): whose contracts, of which client type, and repairs. */
export function Tools({ type, company, onOwn, onChoose }: Props) {
  const { t } = useTranslation('orders')
  const { caller } = useSignedIn()
  const online = useConnection().line === 'online'
  const dispatch = useDispatch()
  const offline = online ? null : t('reason.offline')
  async function repair() {
    const result = await dispatch(reconcile())
    if (result.kind === 'problem') tellOf(t('tools.reconcile'), result)
    else showToast({ kind: 'note', text: t('tools.reconciled') })
  }
  async function checkHealth() {
    const result = await dispatch(recheck(company))
    if (result.kind === 'problem') return tellOf(t('tools.recheck'), result)
    if (result.kind !== 'fresh') return
    const { checked, online: reached } = result.output
    const text = t('tools.rechecked', { count: checked, number: number(checked), online: number(reached) })
    showToast({ kind: 'done', text })
  }
  const types: MenuItem[] = isDeleteLevel(caller)
    ? clientTypes.map((one) => ({
        key: one,
        label: t('tools.type', { type: one }),
        chosen: one === type,
        onSelect: () => chooseClientType(one),
      }))
    : []
  const own: MenuItem[] = company === null ? [] : [{ key: 'own', label: t('tools.own'), icon: 'home', onSelect: onOwn }]
  const items: MenuItem[] = [
    ...types,
    { key: 'company', label: t('tools.company'), icon: 'company', onSelect: onChoose },
    ...own,
    {
      key: 'reconcile',
      label: t('tools.reconcile'),
      icon: 'refresh',
      whyNot: offline,
      onSelect: () => void repair(),
    },
    {
      key: 'recheck',
      label: t('tools.recheck'),
      icon: 'activity',
      whyNot: offline,
      onSelect: () => void checkHealth(),
    },
  ]
  return <Menu label={t('tools.open')} icon="tools" bare={false} kind="quiet" items={items} />
}
