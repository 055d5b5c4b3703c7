import { useCallback, useEffect, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { isProviderAdmin } from '#domain/access.ts'
import { whyNotContract } from '#domain/contracts.ts'
import type { OrderRow } from '#contract/orders.ts'
import { useConnection, useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { problemOf } from '#state/status.ts'
import { useListing } from '#state/use-listing.ts'
import { Button } from '#ui/Button.tsx'
import { DataList } from '#ui/DataList.tsx'
import { number } from '#ui/Freshness.tsx'
import { Page } from '#ui/Page.tsx'
import { PendingMark } from '#ui/PendingMark.tsx'
import { ProblemNote } from '#ui/ProblemNote.tsx'
import { useWords } from '#ui/words.ts'
import { ordersAhead } from '#features/orders/ahead.ts'
import { changeView, readView, remembered, writeView } from '#features/orders/address.ts'
import { CalendarDialog } from '#features/orders/components/CalendarDialog.tsx'
import { columns } from '#features/orders/components/columns.tsx'
import { useCompanyName } from '#features/orders/components/CompanyDialog.tsx'
import { Filters } from '#features/orders/components/Filters.tsx'
import { Create, NoOrders } from '#features/orders/components/NoOrders.tsx'
import { usePrice } from '#features/orders/components/Priced.tsx'
import { RemoveOrder } from '#features/orders/components/RemoveOrder.tsx'
import { ServiceInfo } from '#features/orders/components/ServiceInfo.tsx'
import { Sheet } from '#features/orders/components/Sheet.tsx'
import { Tools } from '#features/orders/components/Tools.tsx'
import { useActions } from '#features/orders/components/useActions.ts'
import { useWhyNoOrder } from '#features/orders/components/useWhyNoOrder.ts'
import { readOrders } from '#features/orders/list.ts'
import { printContract } from '#features/orders/printing.ts'
import { askMarket, askOrders, askPrice, selectOrders, viewChanged } from '#features/orders/slice.ts'

const ways = { read: readView, write: writeView, change: changeView, remembered }
const nothing = { count: 0, here: 0, total: null, asOf: null, complete: false }
const useBusy = () => useSelector((state) => selectOrders(state).list.is === 'sending')

/** What stands over the page: about which row. */
type Over =
  | { is: 'calendar' }
  | { is: 'info'; row: OrderRow }
  | { is: 'remove'; what: 'order' | 'pending'; row: OrderRow }

/** A row for each service (D35), from the device; the server is asked beside it. */
export function Contracts() {
  const t = useWords('orders')
  const { user, caller } = useSignedIn()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const online = useConnection().line === 'online'
  const { view, change } = useView()
  const { type, price } = usePrice()
  // A customer's address may name any company: only staff are asked for another one's.
  const isStaff = isProviderAdmin(caller)
  const other = isStaff && view.company !== user.company_id ? view.company : null
  const otherName = useCompanyName(other)
  const companyId = other ?? user.company_id
  const company = otherName ?? user.company_name
  const again = useAsking(companyId, type, remembered(view))
  const whyNoPrice = useWhyNoOrder(type, Boolean(price))
  const whyNoOrder = other === null ? whyNoPrice : t('companies.notHere')
  const [over, setOver] = useState<Over | null>(null)
  const close = () => setOver(null)
  const actions = useActions({
    onOpen: ({ id }) => void navigate(`/app/contract/${id}`),
    onPrint: ({ contract_id: id }) => void dispatch(printContract(id)),
    onAgain: ({ id }) => void navigate(`/app/contract/new?from=${id}`),
    onRemove: (row, what) => setOver({ is: 'remove', what, row }),
    whyNoOrder,
  })
  const list = useLive(
    () => readOrders(companyId, type, view),
    [companyId, type, remembered(view)],
    ordersAhead(companyId, type, view),
  )
  const create = <Create whyNot={whyNoOrder} />
  return (
    <Page
      title={t('title')}
      intro={t('lead', { company })}
      action={
        <>
          <Button icon="refresh" onClick={again}>
            {t('refresh')}
          </Button>
          <Button
            icon="calendar"
            aria-haspopup="dialog"
            whyNot={online ? null : t('reason.offline')}
            onClick={() => setOver({ is: 'calendar' })}
          >
            {t('calendar.open')}
          </Button>
          {isStaff && <Tools type={type} company={other} onCompany={(id) => change({ company: id })} />}
          {create}
        </>
      }
    >
      <Sheet />
      <Filters view={view} company={otherName} onChange={change} />
      <AskingProblem onRetry={again} />
      <DataList
        caption={t('caption', { company })}
        counted={(count) => t('counted', { count, number: number(count) })}
        columns={columns(t)}
        rows={list?.rows}
        rowKey={({ row }) => String(row.id)}
        rowName={({ row }) => row.code}
        rowTo={({ row }) => (typeof row.id === 'number' && !whyNotContract('open', row.state) ? `${row.id}` : null)}
        beside={({ row }) =>
          row.system_status > 0 && (
            <Button kind="plain" icon="info" bare onClick={() => setOver({ is: 'info', row })}>
              {t('info.open', { code: row.code })}
            </Button>
          )
        }
        mark={({ waiting }) => waiting && <PendingMark state={waiting.state} makes={waiting.makes} />}
        actions={actions}
        most="manage"
        sort={view.sort}
        onSort={(sort) => change({ sort })}
        page={view.page}
        results={view.results}
        count={list?.count ?? 0}
        onPage={(page) => change({ page })}
        onResults={(results) => change({ results })}
        fresh={list ?? nothing}
        useBusy={useBusy}
        empty={<NoOrders view={view} read={list?.asOf !== null} whyNot={whyNoOrder} onChange={change} />}
      />
      {over?.is === 'calendar' && <CalendarDialog onClose={close} />}
      {over?.is === 'info' && <ServiceInfo order={over.row} onClose={close} />}
      {over?.is === 'remove' && <RemoveOrder {...over} onClose={close} onDone={() => (close(), again())} />}
    </Page>
  )
}

function useView() {
  const left = useSelector((state) => selectOrders(state).left)
  return useListing(ways, left, viewChanged)
}

/** Asks for what is listed when that changes and when the line is back; answers how to ask again. */
function useAsking(companyId: number, type: Parameters<typeof askPrice>[0], listed: string) {
  const dispatch = useDispatch()
  const online = useSelector(({ connection }) => connection.line === 'online')
  const ask = useCallback(
    () => void dispatch(askOrders(companyId, type, readView(new URLSearchParams(listed)))),
    [dispatch, companyId, type, listed],
  )
  // biome-ignore lint: the line is not used, its coming back is the reason
  useEffect(ask, [ask, online])
  useEffect(() => {
    if (online) void dispatch(askMarket(type))
  }, [dispatch, type, online])
  return () => {
    ask()
    void dispatch(askPrice(type))
  }
}

function AskingProblem({ onRetry }: { onRetry: () => void }) {
  const status = useSelector((state) => selectOrders(state).list)
  return <ProblemNote problem={problemOf(status)} onRetry={onRetry} />
}
