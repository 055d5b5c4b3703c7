import { Suspense, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { whyNotContract } from '#domain/contracts.ts'
import { useDispatch } from '#state/hooks.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { goFreely } from '#ui/navigation-guard/NavigationGuard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { Acts } from '#features/orders/detail/ContractActions.tsx'
import { type Dialog, Dialogs } from '#features/orders/dialogs/Dialogs.tsx'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { Editor } from '#features/orders/change/ContractEditor.tsx'
import { History } from '#features/orders/detail/ContractHistory.tsx'
import { Notices } from '#features/orders/detail/ContractNotices.tsx'
import { PaymentReturn } from '#features/orders/payment/PaymentResult.tsx'
import { Sheet } from '#features/orders/OrderStyles.tsx'
import { BackupsNotHere, isTabbed, Tabs, tabOf } from '#features/orders/detail/ContractTabs.tsx'
import { StatusTag } from '#features/orders/StatusTag.tsx'
import { Terms } from '#features/orders/detail/ContractTerms.tsx'
import { UndoNotice } from '#features/orders/detail/UndoNotice.tsx'
import { type ShownOrder, useHistory, usePrices } from '#features/orders/change/useContract.ts'
import { useToday } from '#ui/page/business-day.ts'
import { payableOf } from '#features/orders/payment/payable.ts'
import { askListed } from '#features/orders/slice.ts'

/** An order and the contract that came of it; by the address's `edit` what can be changed of it (M98, M100). */
export function Agreement({ order, Service, Backups }: { order: ShownOrder } & ContractParts) {
  const { t } = useTranslation('contract')
  const { shown, busy } = order
  const { row, waiting } = shown
  const [query, setQuery] = useSearchParams()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const prices = usePrices(row.client_type)
  const history = useHistory(row.contract_id)
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const contract = history.rows?.find(({ id }) => id === row.contract_id) ?? null
  const tab = tabOf(query, row, prices.hasBackups)
  const editing =
    tab !== 'subscribe' && query.has('edit') && row.contract_id > 0 && whyNotContract('change', row.state) === null
  const [asked, setAsked] = useState(0)
  const refresh = () => {
    void Promise.all([order.again(), history.again(), prices.again(), dispatch(askListed(row))])
    setAsked((before) => before + 1)
  }
  const edit = (is: boolean) => setQuery(is ? { edit: '1' } : {}, { replace: !is })
  const close = () => setDialog(null)

  /** What takes effect at once is an order in force, with a page of its own; what is to be paid waits on this one (D35). */
  function ordered(made: OrderRow) {
    close()
    if (made.contract_id > 0) {
      showToast({ kind: 'done', text: t('inEffect') })
      return goFreely(() => void navigate(`/app/contract/${made.id}`, { replace: true }))
    }
    if (editing) goFreely(() => edit(false))
    setDialog({ kind: 'pay', order: payableOf(made) ?? made })
    refresh()
  }

  const { market, asOf, zone, modules } = prices
  const names = useMemo(() => new Map(modules.map(({ code, name }) => [code, name])), [modules])
  const now = useToday(zone)
  const today = zone === null ? null : now
  const changing = market && contract && { row, market, asOf, contract, onOrdered: ordered }
  return (
    <Page
      title={row.name}
      crumbs={[{ label: t('list'), to: '/app/contract' }]}
      intro={
        <span className="order-intro">
          <code>{row.code}</code>
          <StatusTag state={row.state} />
          {waiting && <PendingMark {...waiting} />}
          <Freshness fresh={{ asOf: order.asOf, here: 1, total: 1, complete: true }} />
        </span>
      }
      action={<Acts {...{ row, busy, editing, tab }} onRefresh={refresh} onEdit={edit} onOpen={setDialog} />}
    >
      <Sheet />
      <LoadProblem problem={order.problem} onRetry={refresh} />
      {prices.hasBackups && isTabbed(row) && <Tabs tab={tab} />}
      {tab === null && <Skeleton lines={6} />}
      {tab === 'subscribe' && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <Backups order={row} asked={asked} NotHere={BackupsNotHere} />
        </Suspense>
      )}
      {tab === 'contract' && (
        <>
          <PaymentReturn
            order={payableOf(row) ?? row}
            paidOrder={row.contract_id > 0 ? row : null}
            onSettled={refresh}
          />
          <Notices row={row} zone={prices.zone} asOf={order.asOf} editing={editing} onOpen={setDialog} />
          {!editing && zone !== null && (
            <UndoNotice
              {...{ row, zone, names }}
              contracts={history.rows}
              onUndone={(made) => goFreely(() => void navigate(`/app/contract/${made.id}`, { replace: true }))}
              onRefused={refresh}
            />
          )}
          {editing && changing && <Editor {...changing} />}
          {editing && !changing && <Skeleton lines={6} />}
          <Terms {...{ row, contract, market, today, editing }} history={history.rows} modules={prices.modules} />
          {!editing && row.contract_id > 0 && row.state !== 'overwritten' && (
            <Suspense fallback={null}>
              <Service order={row} onChanged={() => void order.again()} />
            </Suspense>
          )}
          {!editing && row.contract_id > 0 && (
            <History {...history} onRetry={() => void history.again()} now={row.contract_id} />
          )}
        </>
      )}
      <Dialogs
        dialog={dialog}
        order={order}
        zone={prices.zone}
        changing={changing}
        onClose={close}
        onChanged={refresh}
        onEdit={() => {
          close()
          edit(true)
        }}
      />
    </Page>
  )
}
