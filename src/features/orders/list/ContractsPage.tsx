import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { isProviderAdmin } from '#domain/access.ts'
import { whyNotContract } from '#domain/contracts.ts'
import { getSettings } from '#contract/accounts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useFetch } from '#state/use-fetch.ts'
import { useList } from '#state/use-list.ts'
import { useNewRows } from '#state/use-new-rows.ts'
import { useListing } from '#state/use-list-url.ts'
import { Button } from '#ui/display/Button.tsx'
import { DataList } from '#ui/list/DataList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useNarrow } from '#ui/list/useNarrow.ts'
import { useToday } from '#ui/page/business-day.ts'
import { Page } from '#ui/page/Page.tsx'
import { rowMark } from '#ui/list/PendingMark.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { changeView, readView, remembered, type View, writeView } from '#features/orders/list-url.ts'
import { columns } from '#features/orders/list/columns.tsx'
import { CompanyPicker, useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { Filters } from '#features/orders/list/Filters.tsx'
import { Create, NoOrders } from '#features/orders/list/EmptyList.tsx'
import { usePrice } from '#features/orders/quote/RequirePriceList.tsx'
import type { Payable } from '#features/orders/payment/payment-api.ts'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import { Tools } from '#features/orders/list/StaffToolbar.tsx'
import { useActions } from '#features/orders/list/useActions.ts'
import { useWhyNoOrder } from '#features/orders/quote/useOrderBlocked.ts'
import { printDocument } from '#features/orders/print/print-document.ts'
import { useDueText } from '#features/orders/useDueText.ts'
import { askMarket, fetchPrice, ordersList } from '#features/orders/slice.ts'

// No list waits for its dialogs (P-28).
const CalendarDialog = lazy(async () => ({
  default: (await import('#features/orders/dialogs/CalendarDialog.tsx')).CalendarDialog,
}))
const PayDialog = lazy(async () => ({ default: (await import('#features/orders/dialogs/PayDialog.tsx')).PayDialog }))
const RemoveOrder = lazy(async () => ({
  default: (await import('#features/orders/dialogs/DeleteOrderDialog.tsx')).RemoveOrder,
}))
const ServiceInfo = lazy(async () => ({
  default: (await import('#features/orders/dialogs/ServiceInfoDialog.tsx')).ServiceInfo,
}))

const ways = { read: readView, write: writeView, change: changeView, remembered }

/** What stands over the page: about which row. */
type Over =
  | { kind: 'calendar' }
  | { kind: 'info'; row: OrderRow }
  | { kind: 'pay'; row: OrderRow; order: Payable }
  | { kind: 'remove'; what: 'order' | 'pending'; row: OrderRow }

/** A row for each service (D35), from the device; the server is asked beside it. */
export function Contracts() {
  const { t } = useTranslation('orders')
  const { user, caller } = useSignedIn()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const online = useConnection().line === 'online'
  const { view, change } = useListing(ways, ordersList)
  const { type, price } = usePrice()
  // A customer's address may name any company: only staff are asked for another one's.
  const isStaff = isProviderAdmin(caller)
  const other = isStaff && view.company !== user.company_id ? view.company : null
  const otherName = useCompanyName(other)
  const companyId = other ?? user.company_id
  const company = otherName ?? user.company_name
  const { newRows, clear } = useNewRows(ordersList)
  const grows = useNarrow()
  const shown = { scope: companyId, view: { ...view, type }, newRows, grows }
  const { rows, count, freshness, isFetching, problem, refetch } = useList(ordersList, shown)
  useFetch(useCallback(() => void dispatch(askMarket(type)), [dispatch, type]))
  const again = () => {
    refetch()
    void dispatch(fetchPrice(type))
  }
  const whyNoPrice = useWhyNoOrder(type, Boolean(price))
  const whyNoOrder = other === null ? whyNoPrice : t('companies.notHere')
  const picker = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState<Over | null>(null)
  const close = () => setOver(null)
  const zone = useLiveQuery(async () => await readAnswer(getSettings, {}), [])?.time_zone
  const today = useToday(zone)
  const dueText = useDueText()
  const drawn = columns(t, dueText, zone === undefined ? null : today)
  const sorting = { columns: drawn, sort: view.sort, onSort: (sort: View['sort']) => change({ sort }) }
  const actions = useActions({
    onPay: (row, order) => setOver({ kind: 'pay', row, order }),
    onInfo: (row) => setOver({ kind: 'info', row }),
    onOpen: ({ id }) => void navigate(`/app/contract/${id}`),
    onPrint: ({ contract_id: id }) => void dispatch(printDocument('contract', id)),
    onAgain: ({ id }) => void navigate(`/app/contract/new?from=${id}`),
    onRemove: (row, what) => setOver({ kind: 'remove', what, row }),
    whyNoOrder,
  })
  const create = <Create whyNot={whyNoOrder} />
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company })}
      action={
        <>
          <Button
            icon="calendar"
            aria-haspopup="dialog"
            whyNot={online ? null : t('reason.offline')}
            onClick={() => setOver({ kind: 'calendar' })}
          >
            {t('calendar.open')}
          </Button>
          {isStaff && (
            <Tools
              type={type}
              company={other}
              onOwn={() => change({ company: null })}
              onChoose={() => picker.current?.focus()}
            />
          )}
          {create}
        </>
      }
    >
      <Sheet />
      <Filters view={view} sorting={sorting} onChange={change}>
        {isStaff && (
          <CompanyPicker
            ref={picker}
            label={t('companies.label')}
            placeholder={user.company_name}
            company={other}
            onChoose={(id) => change({ company: id === user.company_id ? null : id })}
          />
        )}
      </Filters>
      {/* Offline the rows that are here, or the word that there are none, say all there is to say. */}
      <LoadProblem problem={problem} onRetry={again} />
      <DataList
        caption={t('caption', { company })}
        counted={(count) => t('counted', { count, number: number(count) })}
        columns={drawn}
        // A new one of the other client type is no row of this list.
        rows={rows?.filter(({ row }) => row.client_type === type)}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => row.code}
        rowTo={({ row }) => (typeof row.id === 'number' && !whyNotContract('open', row.state) ? `${row.id}` : null)}
        beside={({ row }) =>
          row.system_status > 0 && (
            <Button kind="plain" onClick={() => setOver({ kind: 'info', row })}>
              {t('info.short')} <span className="sr-only">{t('info.open', { code: row.code })}</span>
            </Button>
          )
        }
        mark={rowMark}
        actions={actions}
        sort={view.sort}
        onSort={sorting.onSort}
        grows={grows}
        page={view.page}
        results={view.results}
        count={count}
        onPage={(page, isCorrection) => change({ page }, isCorrection)}
        onResults={(results) => change({ results })}
        fresh={freshness}
        refresh={
          <Button kind="plain" icon="refresh" bare busy={isFetching} onClick={() => (clear(), again())}>
            {t('refresh')}
          </Button>
        }
        isFetching={isFetching}
        problem={problem}
        empty={<NoOrders view={view} read={freshness.asOf !== null} whyNot={whyNoOrder} onChange={change} />}
      />
      <Suspense fallback={null}>
        {over?.kind === 'calendar' && <CalendarDialog onClose={close} />}
        {over?.kind === 'info' && <ServiceInfo order={over.row} onClose={close} />}
        {over?.kind === 'pay' && (
          <PayDialog
            {...over}
            onClose={close}
            onPaid={() => {
              close()
              again()
            }}
          />
        )}
        {over?.kind === 'remove' && <RemoveOrder {...over} onClose={close} onDone={() => (close(), again())} />}
      </Suspense>
    </Page>
  )
}
