import { Suspense, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router-dom'
import type { OrderRow } from '#contract/orders.ts'
import { getContractRefusal } from '#domain/contracts.ts'
import { useDispatch } from '#state/use-store.ts'
import { Freshness } from '#ui/list/Freshness.tsx'
import { navigateUnguarded } from '#ui/navigation-guard/navigation-guard.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { useContractActions } from '#features/orders/detail/useContractActions.tsx'
import { ContractPanel } from '#features/orders/detail/ContractPanel.tsx'
import { BackupsUnavailable, type ContractTab, ContractTabs, getTab } from '#features/orders/detail/ContractTabs.tsx'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { DialogRefusalNotice } from '#features/orders/detail/DialogRefusalNotice.tsx'
import { useContractDialog } from '#features/orders/detail/useContractDialog.ts'
import { Dialogs } from '#features/orders/dialogs/Dialogs.tsx'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { StatusTag } from '#features/orders/StatusTag.tsx'
import { type LoadedOrder, useContractHistory, useOrderPrices } from '#features/orders/change/useOrder.ts'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { refreshListedOrder } from '#features/orders/slice.ts'

const isEditRequested = (query: URLSearchParams, row: OrderRow, tab: ContractTab | null): boolean =>
  tab !== 'subscribe' && query.has('edit') && row.contract_id > 0 && getContractRefusal('change', row.state) === null

/** Shows an order and its contract. With `edit` in the address it shows the form to change the contract (M98, M100). */
export function ContractDetails({ order, ServicePart, ActivityPart, Backups }: { order: LoadedOrder } & ContractParts) {
  const { t } = useTranslation('contract')
  const { row } = order.overlaidRow
  const [query, setQuery] = useSearchParams()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const prices = useOrderPrices(row.client_type)
  const history = useContractHistory(row.contract_id)
  const { dialog, refusal, open, close, leaveTo, payCreatedOrder } = useContractDialog(row)
  const [refreshCount, setRefreshCount] = useState(0)
  const tab = getTab(query, row, prices.hasBackups)
  const isEditing = isEditRequested(query, row, tab)
  const { priceData, asOf, timeZone } = prices
  const contract = history.rows?.find(({ id }) => id === row.contract_id) ?? null
  const setEditing = (isOn: boolean) => setQuery(isOn ? { edit: '1' } : {}, { replace: !isOn })
  const onCancel = () => setEditing(false)
  const editorProps = priceData && contract && { row, priceData, asOf, contract, onOrdered: handleOrdered, onCancel }

  const openOrder = ({ id }: OrderRow) =>
    navigateUnguarded(() => void navigate(`/app/contract/${id}`, { replace: true }))
  function refresh() {
    void Promise.all([order.refetch(), history.refetch(), prices.refetch(), dispatch(refreshListedOrder(row))])
    setRefreshCount((count) => count + 1)
  }
  /** A change in effect has its own page. An unpaid change stays on this page until it is paid (D35). */
  function handleOrdered(createdOrder: OrderRow) {
    if (createdOrder.contract_id > 0) {
      showToast({ kind: 'done', text: t('inEffect') })
      return openOrder(createdOrder)
    }
    navigateUnguarded(() => payCreatedOrder(findPayableOrder(createdOrder) ?? createdOrder))
    refresh()
  }

  const actions = useContractActions({
    row,
    isEditing,
    tab,
    isBusy: order.isFetching,
    onRefresh: refresh,
    onEdit: setEditing,
    onOpen: open,
  })

  return (
    <Page
      title={isEditing ? t('modifyTitle', { name: row.name }) : row.name}
      crumbs={[{ label: t('list'), to: '/app/contract' }]}
      intro={<ContractIntro order={order} />}
      {...actions}
    >
      <OrderStyles />
      <LoadProblem problem={order.problem} onRetry={refresh} />
      {refusal && <DialogRefusalNotice {...{ refusal }} isFetching={order.isFetching} onClose={close} />}
      {prices.hasBackups && isCurrentContract(row) && <ContractTabs tab={tab} />}
      {prices.hasBackups === null && isCurrentContract(row) && <div className="order-tabs-space" />}
      {tab === null && <Skeleton lines={6} />}
      {tab === 'subscribe' && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <Backups order={row} refreshCount={refreshCount} Unavailable={BackupsUnavailable} />
        </Suspense>
      )}
      {tab === 'contract' && (
        <ContractPanel
          {...{ order, prices, history, contract, editorProps, isEditing, ServicePart, ActivityPart }}
          onOpen={open}
          onUndone={openOrder}
          onChanged={refresh}
        />
      )}
      <Dialogs
        {...{ dialog, order, timeZone, editorProps }}
        onClose={close}
        onLeave={leaveTo}
        onChanged={refresh}
        onEdit={() => setQuery({ edit: '1' }, { replace: true })}
      />
    </Page>
  )
}

function ContractIntro({ order }: { order: LoadedOrder }) {
  const { row, waiting } = order.overlaidRow
  return (
    <span className="order-intro">
      <code>{row.code}</code>
      <StatusTag state={row.state} />
      {waiting && <PendingMark {...waiting} />}
      <Freshness freshness={{ asOf: order.asOf, cachedCount: 1, total: 1, complete: true }} />
    </span>
  )
}
