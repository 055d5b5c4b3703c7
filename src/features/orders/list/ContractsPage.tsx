import { lazy, useRef, useState } from 'react'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { findContractState, getContractRefusal } from '#domain/contracts.ts'
import { getSettings } from '#contract/accounts.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import { buildColumns } from '#features/orders/list/columns.tsx'
import { CreateOrderButton } from '#features/orders/list/CreateOrderButton.tsx'
import type { OrdersDialogState } from '#features/orders/list/OrdersDialog.tsx'
import { StaffToolbar } from '#features/orders/list/StaffToolbar.tsx'
import { useActions } from '#features/orders/list/useActions.ts'
import { useOrdersList } from '#features/orders/list/useOrdersList.ts'
import { orderStatuses } from '#features/orders/view.ts'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { useOrderBlockedReason } from '#features/orders/quote/useOrderBlockedReason.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'

// The dialogs are loaded on demand, so that the list does not wait for them (P-28).
const OrdersDialog = lazy(async () => ({
  default: (await import('#features/orders/list/OrdersDialog.tsx')).OrdersDialog,
}))

/** Lists one row per service (D35). Rows are read from the device and fetched from the server at the same time. */
export function ContractsPage() {
  const { t } = useTranslation('orders')
  const { user } = useSignedInSession()
  const offlineReason = useOfflineReason(t('reason.offline'))
  const { list, type, hasPriceList, isStaff, otherCompanyId, companyName } = useOrdersList()
  const orderBlockedReason = useOrderBlockedReason(type, hasPriceList)
  const disabledReason = otherCompanyId === null ? orderBlockedReason : t('companies.notHere')
  const picker = useRef<HTMLInputElement>(null)
  const [dialog, setDialog] = useState<OrdersDialogState | null>(null)
  const timeZone = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.time_zone
  const today = useToday(timeZone)
  const formatDue = useDueFormatter()
  const actions = useActions(setDialog, disabledReason)
  const createButton = <CreateOrderButton disabledReason={disabledReason} />
  return (
    <ListPage
      list={list}
      title={t('title')}
      intro={t('lead', { company: companyName })}
      action={
        <>
          <Button
            icon="calendar"
            aria-haspopup="dialog"
            disabledReason={offlineReason}
            onClick={() => setDialog({ kind: 'calendar' })}
          >
            {t('calendar.open')}
          </Button>
          {isStaff && (
            <StaffToolbar
              type={type}
              companyId={otherCompanyId}
              onOwn={() => list.changeView({ company: null })}
              onChoose={() => picker.current?.focus()}
            />
          )}
          {createButton}
        </>
      }
      beforeFilters={<OrderStyles />}
      searchLabel={t('filter.search')}
      extraFilters={
        isStaff && (
          <CompanyPicker
            ref={picker}
            label={t('companies.label')}
            placeholder={user.company_name}
            companyId={otherCompanyId}
            onChoose={(id) => list.changeView({ company: id === user.company_id ? null : id })}
          />
        )
      }
      filters={[
        {
          name: 'status',
          label: t('filter.status'),
          allLabel: t('filter.all'),
          choices: orderStatuses.map((status) => ({
            value: status,
            // "Unpaid" includes contracts in effect that have an amount due.
            label: status === 0 ? t('filter.unpaid') : t(`status.${findContractState(status, 'order') ?? 'invalid'}`),
          })),
        },
      ]}
      caption={t('caption', { company: companyName })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildColumns(t, formatDue, timeZone === undefined ? null : today)}
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
      refreshLabel={t('refresh')}
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.dropAll') },
        none: (
          <EmptyState icon="contract" title={t('empty.title')} action={createButton}>
            {t('empty.text')}
          </EmptyState>
        ),
      }}
    >
      {dialog && <OrdersDialog dialog={dialog} onClose={() => setDialog(null)} onChanged={list.refetch} />}
    </ListPage>
  )
}
