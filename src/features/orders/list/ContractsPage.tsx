import { lazy, useRef, useState } from 'react'
import type { TFunction } from 'i18next'
import type { ClientType } from '#domain/access.ts'
import type { CompanyFrame } from '#patterns/list-page/company-frame.ts'
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
export function ContractsPage({ frame = null }: { frame?: CompanyFrame | null }) {
  const { t } = useTranslation('orders')
  const { user } = useSignedInSession()
  const { list, type, hasPriceList, isStaff, canSelectCompany, companyId, otherCompanyId, companyName } = useOrdersList(
    frame?.companyId ?? null,
  )
  const disabledReason = useOrderBlockedReason(type, hasPriceList)
  const isAll = companyId === null
  const picker = useRef<HTMLInputElement>(null)
  const [dialog, setDialog] = useState<OrdersDialogState | null>(null)
  const timeZone = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.time_zone
  const today = useToday(timeZone)
  const formatDue = useDueFormatter()
  const actions = useActions(setDialog, disabledReason)
  const createButton = <CreateOrderButton disabledReason={disabledReason} companyId={otherCompanyId} />
  return (
    <ListPage
      list={list}
      {...getHead(frame, isAll ? t('leadAll') : t('lead', { company: companyName }), t('title'))}
      action={
        <>
          {!frame && (
            <ListTools
              {...{ type, companyId, isStaff }}
              onCalendar={() => setDialog({ kind: 'calendar' })}
              onOwn={() => list.changeView({ company: user.company_id })}
              onChoose={() => picker.current?.focus()}
            />
          )}
          {createButton}
        </>
      }
      beforeFilters={
        <>
          <OrderStyles />
          {frame?.tabs}
        </>
      }
      searchLabel={t('filter.search')}
      extraFilters={
        canSelectCompany && (
          <CompanyPicker
            ref={picker}
            label={t('companies.label')}
            placeholder={t('companies.any')}
            noneLabel={t('companies.any')}
            companyId={list.view.company}
            onChoose={(id) => list.changeView({ company: id })}
          />
        )
      }
      filters={[buildStatusFilter(t)]}
      caption={isAll ? t('captionAll') : t('caption', { company: companyName })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildColumns(t, formatDue, timeZone === undefined ? null : today, isAll)}
      getRowName={({ row }) => row.code}
      getRowPath={({ row }) =>
        typeof row.id === 'number' && !getContractRefusal('open', row.state) ? `/app/contract/${row.id}` : null
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

const getHead = (frame: CompanyFrame | null, intro: string, title: string) =>
  frame ? { title: frame.title, crumbs: frame.crumbs } : { title, intro }

const buildStatusFilter = (t: TFunction<'orders'>) => ({
  name: 'status' as const,
  label: t('filter.status'),
  allLabel: t('filter.all'),
  choices: orderStatuses.map((status) => ({
    value: status,
    // "Unpaid" includes contracts in effect that have an amount due.
    label: status === 0 ? t('filter.unpaid') : t(`status.${findContractState(status, 'order') ?? 'invalid'}`),
  })),
})

interface ListToolsProps {
  type: ClientType
  companyId: number | null
  isStaff: boolean
  onCalendar: () => void
  onOwn: () => void
  onChoose: () => void
}

function ListTools({ isStaff, onCalendar, ...toolbarProps }: ListToolsProps) {
  const { t } = useTranslation('orders')
  const offlineReason = useOfflineReason(t('reason.offline'))
  return (
    <>
      <Button icon="calendar" aria-haspopup="dialog" disabledReason={offlineReason} onClick={onCalendar}>
        {t('calendar.open')}
      </Button>
      {isStaff && <StaffToolbar {...toolbarProps} />}
    </>
  )
}
