import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { isProviderAdmin } from '#domain/access.ts'
import { getContractRefusal } from '#domain/contracts.ts'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useList } from '#state/use-list.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { useListUrl } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { useToday } from '#ui/page/use-today.ts'
import { Page } from '#ui/page/Page.tsx'
import { renderRowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import {
  changeListView,
  readListView,
  toRememberedQuery,
  type OrdersView,
  writeListView,
} from '#features/orders/list-url.ts'
import { buildColumns } from '#features/orders/list/columns.tsx'
import { CompanyPicker, useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { Filters } from '#features/orders/list/Filters.tsx'
import { CreateOrderButton, EmptyList } from '#features/orders/list/EmptyList.tsx'
import { usePriceList } from '#features/orders/quote/RequirePriceList.tsx'
import type { PayableOrder } from '#features/orders/payment/payment-api.ts'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { StaffToolbar } from '#features/orders/list/StaffToolbar.tsx'
import { useActions } from '#features/orders/list/useActions.ts'
import { useOrderBlockedReason } from '#features/orders/quote/useOrderBlockedReason.ts'
import { printDocument } from '#features/orders/print/print-document.ts'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'
import { fetchPriceData, fetchPriceInForce, ordersListSlice } from '#features/orders/slice.ts'

// No list waits for its dialogs (P-28).
const CalendarDialog = lazy(async () => ({
  default: (await import('#features/orders/dialogs/CalendarDialog.tsx')).CalendarDialog,
}))
const PayDialog = lazy(async () => ({ default: (await import('#features/orders/dialogs/PayDialog.tsx')).PayDialog }))
const DeleteOrderDialog = lazy(async () => ({
  default: (await import('#features/orders/dialogs/DeleteOrderDialog.tsx')).DeleteOrderDialog,
}))
const ServiceInfoDialog = lazy(async () => ({
  default: (await import('#features/orders/dialogs/ServiceInfoDialog.tsx')).ServiceInfoDialog,
}))

const viewFunctions = {
  read: readListView,
  write: writeListView,
  change: changeListView,
  toSavedQuery: toRememberedQuery,
}

/** What stands over the page: about which row. */
type OpenDialog =
  | { kind: 'calendar' }
  | { kind: 'info'; row: OrderRow }
  | { kind: 'pay'; row: OrderRow; order: PayableOrder }
  | { kind: 'remove'; target: 'order' | 'pending'; row: OrderRow }

/** A row for each service (D35), from the device; the server is asked beside it. */
export function ContractsPage() {
  const { t } = useTranslation('orders')
  const { user, caller } = useSignedInSession()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const { view, changeView: change } = useListUrl(viewFunctions, ordersListSlice)
  const { type, price } = usePriceList()
  // A customer's address may name any company: only staff are asked for another one's.
  const isStaff = isProviderAdmin(caller)
  const otherCompanyId = isStaff && view.company !== user.company_id ? view.company : null
  const otherCompanyName = useCompanyName(otherCompanyId)
  const companyId = otherCompanyId ?? user.company_id
  const companyName = otherCompanyName ?? user.company_name
  const { newRowRefs: newRows, clear } = useNewRows(ordersListSlice)
  const isNarrow = useNarrow()
  const listOptions = { scope: companyId, view: { ...view, type }, newRowRefs: newRows, isGrowing: isNarrow }
  const { rows, count, freshness, isFetching, problem, refetch } = useList(ordersListSlice, listOptions)
  useFetch(useCallback(() => void dispatch(fetchPriceData(type)), [dispatch, type]))
  const refetchAll = () => {
    refetch()
    void dispatch(fetchPriceInForce(type))
  }
  const orderBlockedReason = useOrderBlockedReason(type, Boolean(price))
  const disabledReason = otherCompanyId === null ? orderBlockedReason : t('companies.notHere')
  const picker = useRef<HTMLInputElement>(null)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const close = () => setOpenDialog(null)
  const timeZone = useLiveQuery(async () => await readResponseOutput(getSettings, {}), [])?.time_zone
  const today = useToday(timeZone)
  const formatDue = useDueFormatter()
  const tableColumns = buildColumns(t, formatDue, timeZone === undefined ? null : today)
  const sorting = { columns: tableColumns, sort: view.sort, onSort: (sort: OrdersView['sort']) => change({ sort }) }
  const actions = useActions({
    onPay: (row, order) => setOpenDialog({ kind: 'pay', row, order }),
    onInfo: (row) => setOpenDialog({ kind: 'info', row }),
    onOpen: ({ id }) => void navigate(`/app/contract/${id}`),
    onPrint: ({ contract_id: id }) => void dispatch(printDocument('contract', id)),
    onAgain: ({ id }) => void navigate(`/app/contract/new?from=${id}`),
    onRemove: (row, target) => setOpenDialog({ kind: 'remove', target, row }),
    orderBlockedReason: disabledReason,
  })
  const createButton = <CreateOrderButton disabledReason={disabledReason} />
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company: companyName })}
      action={
        <>
          <Button
            icon="calendar"
            aria-haspopup="dialog"
            disabledReason={isOnline ? null : t('reason.offline')}
            onClick={() => setOpenDialog({ kind: 'calendar' })}
          >
            {t('calendar.open')}
          </Button>
          {isStaff && (
            <StaffToolbar
              type={type}
              companyId={otherCompanyId}
              onOwn={() => change({ company: null })}
              onChoose={() => picker.current?.focus()}
            />
          )}
          {createButton}
        </>
      }
    >
      <OrderStyles />
      <Filters view={view} sorting={sorting} onChange={change}>
        {isStaff && (
          <CompanyPicker
            ref={picker}
            label={t('companies.label')}
            placeholder={user.company_name}
            companyId={otherCompanyId}
            onChoose={(id) => change({ company: id === user.company_id ? null : id })}
          />
        )}
      </Filters>
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={refetchAll} />
      <DataList
        caption={t('caption', { company: companyName })}
        formatCount={(count) => t('counted', { count, number: formatNumber(count) })}
        columns={tableColumns}
        // A new one of the other client type is no row of this list.
        rows={rows?.filter(({ row }) => row.client_type === type)}
        getRowKey={({ row }) => String(row.id)}
        getRowName={({ row }) => row.code}
        getRowPath={({ row }) =>
          typeof row.id === 'number' && !getContractRefusal('open', row.state) ? `${row.id}` : null
        }
        renderExtra={({ row }) =>
          row.system_status > 0 && (
            <Button kind="plain" onClick={() => setOpenDialog({ kind: 'info', row })}>
              {t('info.short')} <span className="sr-only">{t('info.open', { code: row.code })}</span>
            </Button>
          )
        }
        renderMark={renderRowMark}
        actions={actions}
        sort={view.sort}
        onSort={sorting.onSort}
        isGrowing={isNarrow}
        page={view.page}
        pageSize={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onPageSize={(results) => change({ results })}
        freshness={freshness}
        refreshButton={
          <Button kind="plain" icon="refresh" isIconOnly isBusy={isFetching} onClick={() => (clear(), refetchAll())}>
            {t('refresh')}
          </Button>
        }
        isFetching={isFetching}
        problem={problem}
        emptyContent={
          <EmptyList view={view} isRead={freshness.asOf !== null} disabledReason={disabledReason} onChange={change} />
        }
      />
      <Suspense fallback={null}>
        {openDialog?.kind === 'calendar' && <CalendarDialog onClose={close} />}
        {openDialog?.kind === 'info' && <ServiceInfoDialog order={openDialog.row} onClose={close} />}
        {openDialog?.kind === 'pay' && (
          <PayDialog
            {...openDialog}
            onClose={close}
            onPaid={() => {
              close()
              refetchAll()
            }}
          />
        )}
        {openDialog?.kind === 'remove' && (
          <DeleteOrderDialog {...openDialog} onClose={close} onDone={() => (close(), refetchAll())} />
        )}
      </Suspense>
    </Page>
  )
}
