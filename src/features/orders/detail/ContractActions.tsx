import { useNavigate } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { isDeleteLevel } from '#domain/access.ts'
import { whyNotContract } from '#domain/contracts.ts'
import { grouped } from '#domain/money.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import { Button } from '#ui/display/Button.tsx'
import { Menu, type MenuItem } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'
import type { Tab } from '#features/orders/detail/ContractTabs.tsx'
import type { Dialog } from '#features/orders/list/Dialogs.tsx'
import { printDocument } from '#features/orders/print/print-document.ts'

interface Props {
  row: OrderRow
  busy: boolean
  editing: boolean
  /** Of the page; null: not known yet. */
  tab: Tab | null
  onRefresh: () => void
  onEdit: () => void
  onOpen: (dialog: Dialog) => void
}

/** What can be done with it now, by the moves of contracts 4; what cannot says why (M97). */
export function Acts({ row, busy, editing, tab, onRefresh, onEdit, onOpen }: Props) {
  const { t } = useTranslation('contract')
  return (
    <>
      <Button bare icon="refresh" busy={busy} onClick={onRefresh}>
        {t('act.refresh')}
      </Button>
      {tab === 'contract' && <ContractActs {...{ row, editing, onEdit, onOpen }} />}
    </>
  )
}

/** What is done to the contract itself. */
function ContractActs({ row, editing, onEdit, onOpen }: Pick<Props, 'row' | 'editing' | 'onEdit' | 'onOpen'>) {
  const { t } = useTranslation('contract')
  const { caller } = useSignedIn()
  const { line } = useConnection()
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const history = historyPath({ code: 'order', name: row.code, companyId: row.company_id }, caller)
  const hasContract = row.contract_id > 0
  const whyNoLine = line === 'online' ? null : t('needsLine')
  const whyNot = (move: 'change' | 'extend') => {
    const why = whyNotContract(move, row.state)
    return why && t(`whyNot.${why}`)
  }
  const items: MenuItem[] = [
    ...(row.system_status > 0
      ? [{ key: 'info', label: t('act.info'), icon: 'service' as const, onSelect: () => onOpen({ kind: 'info' }) }]
      : []),
    // The reminders of the provider's own client type (M105).
    ...(isDeleteLevel(caller) && row.client_type === 'mma'
      ? [{ key: 'alert', label: t('act.alert'), icon: 'mail' as const, onSelect: () => onOpen({ kind: 'alert' }) }]
      : []),
    ...(history === null
      ? []
      : [
          {
            key: 'history',
            label: t('act.history'),
            icon: 'history' as const,
            onSelect: () => void navigate(history),
          },
        ]),
    ...(row.state === 'unpaid'
      ? [
          {
            key: 'remove',
            label: t('act.remove'),
            icon: 'remove' as const,
            danger: true,
            onSelect: () => onOpen({ kind: 'remove', what: 'order' }),
          },
        ]
      : []),
  ]
  return (
    <>
      {hasContract && (
        <Button
          bare
          icon="print"
          whyNot={whyNoLine}
          onClick={() => void dispatch(printDocument('contract', row.contract_id))}
        >
          {t('act.print')}
        </Button>
      )}
      {items.length > 0 && !editing && <Menu label={t('act.more')} items={items} />}
      {hasContract && !editing && row.state !== 'overwritten' && (
        <Button icon="edit" whyNot={whyNot('change')} onClick={onEdit}>
          {t('act.modify')}
        </Button>
      )}
      {hasContract && !editing && (
        <Button kind="primary" whyNot={whyNot('extend')} onClick={() => onOpen({ kind: 'extend' })}>
          {t('act.extend')}
        </Button>
      )}
      {row.state === 'unpaid' && (
        <Button kind="primary" whyNot={whyNoLine} onClick={() => onOpen({ kind: 'pay', order: row })}>
          {t('act.pay', { amount: `${row.currency} ${grouped(row.pay_amount ?? '0.00')}` })}
        </Button>
      )}
    </>
  )
}
