import { lazy, type ReactNode, useRef, useState } from 'react'
import type { TFunction } from 'i18next'
import type { ClientType } from '#domain/access.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { type ContractState, findContractState, getContractRefusal } from '#domain/contracts.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { buildColumns } from '#features/orders/list/columns.tsx'
import { CreateOrderButton } from '#features/orders/list/CreateOrderButton.tsx'
import type { OrdersDialogState } from '#features/orders/list/OrdersDialog.tsx'
import { OrderTabs } from '#features/orders/list/OrderTabs.tsx'
import { StaffToolbar } from '#features/orders/list/StaffToolbar.tsx'
import { useActions } from '#features/orders/list/useActions.ts'
import { useOrdersList } from '#features/orders/list/useOrdersList.ts'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { useOrderBlockedReason } from '#features/orders/quote/useOrderBlockedReason.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { useToPayList } from '#features/orders/list/useToPayList.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'

// The dialogs are loaded on demand, so that the list does not wait for them (P-28).
const OrdersDialog = lazy(async () => ({
  default: (await import('#features/orders/list/OrdersDialog.tsx')).OrdersDialog,
}))

/** Lists one row per service (D35). Rows are read from the device and fetched from the server at the same time. */
export function ContractsPage() {
  const { t } = useTranslation('orders')
  const { user } = useSignedInSession()
  const { list, type, today, tab, hasPriceList, isStaff, otherCompanyId, companyName } = useOrdersList()
  const orderBlockedReason = useOrderBlockedReason(type, hasPriceList)
  const disabledReason = otherCompanyId === null ? orderBlockedReason : t('companies.notHere')
  const picker = useRef<HTMLInputElement>(null)
  const [dialog, setDialog] = useState<OrdersDialogState | null>(null)
  const formatDue = useDueFormatter()
  const actions = useActions(setDialog, disabledReason)
  const createButton = <CreateOrderButton disabledReason={disabledReason} />
  const { view, changeView } = list
  const refetch = () => (tab === 'pay' ? toPay.list.refetch() : list.refetch())
  const companyId = otherCompanyId ?? user.company_id
  const toPay = useToPayList({
    companyId,
    type,
    today,
    pageList: { definition: list.definition, view, changeView },
    onOpenDialog: setDialog,
    skip: tab !== 'pay',
  })
  const statusName = view.status === null ? null : findContractState(view.status, 'order')
  const pageProps = {
    title: t('title'),
    intro: t('lead', { company: companyName }),
    action: (
      <ListActions
        {...{ type, isStaff, otherCompanyId }}
        onCalendar={() => setDialog({ kind: 'calendar' })}
        onOwn={() => changeView({ company: null })}
        onChoose={() => picker.current?.focus()}
      >
        {createButton}
      </ListActions>
    ),
    beforeFilters: (
      <>
        <OrderStyles />
        <OrderTabs {...{ companyId, type, view, today }} />
      </>
    ),
    searchLabel: t('filter.search'),
    extraFilters: isStaff && (
      <CompanyPicker
        ref={picker}
        label={t('companies.label')}
        placeholder={user.company_name}
        companyId={otherCompanyId}
        onChoose={(id) => changeView({ company: id === user.company_id ? null : id })}
      />
    ),
    refreshLabel: t('refresh'),
    children: dialog && <OrdersDialog dialog={dialog} onClose={() => setDialog(null)} onChanged={refetch} />,
  }
  const noneFound = { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.dropAll') }
  const notHere = { title: t('empty.notHere'), text: t('empty.notHereText') }
  if (tab === 'pay')
    return (
      <ListPage
        {...pageProps}
        {...toPay}
        empty={{ notHere, none: toPay.none, ...(view.searchText.trim() === '' ? {} : { noneFound }) }}
      />
    )
  return (
    <ListPage
      {...pageProps}
      list={list}
      chips={tab === 'all' && statusName ? [toStatusChip(t, statusName, () => changeView({ status: null }))] : []}
      caption={t('caption', { company: companyName })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildColumns(t, formatDue, today)}
      getRowName={({ row }) => row.code}
      getRowPath={({ row }) =>
        typeof row.id === 'number' && !getContractRefusal('open', row.state) ? `${row.id}` : null
      }
      renderExtra={({ row }) =>
        row.system_status > 0 && (
          <Button kind="plain" onClick={() => setDialog({ kind: 'info', row })}>
            {t('info.short')} <span className="sr-only">{t('info.open', { code: row.code })}</span>
          </Button>
        )
      }
      actions={actions}
      empty={{
        notHere,
        noneFound,
        none: (
          <EmptyState icon="contract" title={t('empty.title')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        ),
      }}
    />
  )
}

/** A status without a tab is a filter that no other control shows. */
const toStatusChip = (t: TFunction<'orders'>, statusName: ContractState, onClear: () => void) => ({
  key: 'status',
  label: `${t('filter.status')}: ${t(`status.${statusName}`)}`,
  onClear,
})

interface ListActionsProps {
  type: ClientType
  isStaff: boolean
  otherCompanyId: number | null
  onCalendar: () => void
  onOwn: () => void
  onChoose: () => void
  children: ReactNode
}

function ListActions({ type, isStaff, otherCompanyId, onCalendar, onOwn, onChoose, children }: ListActionsProps) {
  const { t } = useTranslation('orders')
  const offlineReason = useOfflineReason(t('reason.offline'))
  return (
    <>
      <Button icon="calendar" aria-haspopup="dialog" disabledReason={offlineReason} onClick={onCalendar}>
        {t('calendar.open')}
      </Button>
      {isStaff && <StaffToolbar type={type} companyId={otherCompanyId} onOwn={onOwn} onChoose={onChoose} />}
      {children}
    </>
  )
}
