import { Suspense, useMemo, useState } from 'react'
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
import { ContractActions } from '#features/orders/detail/ContractActions.tsx'
import { type ContractDialog, Dialogs } from '#features/orders/dialogs/Dialogs.tsx'
import type { ContractParts } from '#features/orders/detail/service-part.ts'
import { ContractEditor } from '#features/orders/change/ContractEditor.tsx'
import { ContractHistory } from '#features/orders/detail/ContractHistory.tsx'
import { ContractNotices } from '#features/orders/detail/ContractNotices.tsx'
import { PaymentResult } from '#features/orders/payment/PaymentResult.tsx'
import { OrderStyles } from '#features/orders/OrderStyles.tsx'
import { BackupsUnavailable, hasTabs, ContractTabs, getTab } from '#features/orders/detail/ContractTabs.tsx'
import { StatusTag } from '#features/orders/StatusTag.tsx'
import { ContractTerms } from '#features/orders/detail/ContractTerms.tsx'
import { UndoNotice } from '#features/orders/detail/UndoNotice.tsx'
import { type LoadedOrder, useContractHistory, useOrderPrices } from '#features/orders/change/useOrder.ts'
import { useToday } from '#ui/page/use-today.ts'
import { findPayableOrder } from '#features/orders/payment/payable.ts'
import { refreshListedOrder } from '#features/orders/slice.ts'

/** An order and the contract that came of it; by the address's `edit` what can be changed of it (M98, M100). */
export function ContractDetails({ order, ServicePart, Backups }: { order: LoadedOrder } & ContractParts) {
  const { t } = useTranslation('contract')
  const { overlaidRow, busy: isBusy } = order
  const { row, waiting } = overlaidRow
  const [query, setQuery] = useSearchParams()
  const navigate = useNavigate()
  const dispatch = useDispatch()
  const prices = useOrderPrices(row.client_type)
  const history = useContractHistory(row.contract_id)
  const [dialog, setDialog] = useState<ContractDialog | null>(null)
  const contract = history.rows?.find(({ id }) => id === row.contract_id) ?? null
  const tab = getTab(query, row, prices.hasBackups)
  const isEditing =
    tab !== 'subscribe' && query.has('edit') && row.contract_id > 0 && getContractRefusal('change', row.state) === null
  const [refreshCount, setRefreshCount] = useState(0)
  const refresh = () => {
    void Promise.all([order.refetch(), history.refetch(), prices.refetch(), dispatch(refreshListedOrder(row))])
    setRefreshCount((count) => count + 1)
  }
  const setEditing = (isOn: boolean) => setQuery(isOn ? { edit: '1' } : {}, { replace: !isOn })
  const close = () => setDialog(null)

  /** What takes effect at once is an order in force, with a page of its own; what is to be paid waits on this one (D35). */
  function handleOrdered(createdOrder: OrderRow) {
    close()
    if (createdOrder.contract_id > 0) {
      showToast({ kind: 'done', text: t('inEffect') })
      return navigateUnguarded(() => void navigate(`/app/contract/${createdOrder.id}`, { replace: true }))
    }
    if (isEditing) navigateUnguarded(() => setEditing(false))
    setDialog({ kind: 'pay', order: findPayableOrder(createdOrder) ?? createdOrder })
    refresh()
  }

  const { priceData, asOf, zone: timeZone, modules } = prices
  const namesByCode = useMemo(() => new Map(modules.map(({ code, name }) => [code, name])), [modules])
  const businessDay = useToday(timeZone)
  const today = timeZone === null ? null : businessDay
  const editorProps = priceData && contract && { row, priceData, asOf, contract, onOrdered: handleOrdered }
  return (
    <Page
      title={row.name}
      crumbs={[{ label: t('list'), to: '/app/contract' }]}
      intro={
        <span className="order-intro">
          <code>{row.code}</code>
          <StatusTag state={row.state} />
          {waiting && <PendingMark {...waiting} />}
          <Freshness freshness={{ asOf: order.asOf, cachedCount: 1, total: 1, complete: true }} />
        </span>
      }
      action={
        <ContractActions
          {...{ row, isBusy, isEditing, tab }}
          onRefresh={refresh}
          onEdit={setEditing}
          onOpen={setDialog}
        />
      }
    >
      <OrderStyles />
      <LoadProblem problem={order.problem} onRetry={refresh} />
      {prices.hasBackups && hasTabs(row) && <ContractTabs tab={tab} />}
      {tab === null && <Skeleton lines={6} />}
      {tab === 'subscribe' && (
        <Suspense fallback={<Skeleton lines={6} />}>
          <Backups order={row} refreshCount={refreshCount} Unavailable={BackupsUnavailable} />
        </Suspense>
      )}
      {tab === 'contract' && (
        <>
          <PaymentResult
            order={findPayableOrder(row) ?? row}
            paidOrder={row.contract_id > 0 ? row : null}
            onSettled={refresh}
          />
          <ContractNotices
            row={row}
            timeZone={prices.zone}
            asOf={order.asOf}
            isEditing={isEditing}
            onOpen={setDialog}
          />
          {!isEditing && timeZone !== null && (
            <UndoNotice
              {...{ row, timeZone, namesByCode }}
              contracts={history.rows}
              onUndone={(restoredOrder) =>
                navigateUnguarded(() => void navigate(`/app/contract/${restoredOrder.id}`, { replace: true }))
              }
              onRefused={refresh}
            />
          )}
          {isEditing && editorProps && <ContractEditor {...editorProps} />}
          {isEditing && !editorProps && <Skeleton lines={6} />}
          <ContractTerms
            {...{ row, contract, priceData, today, isEditing }}
            history={history.rows}
            modules={prices.modules}
          />
          {!isEditing && row.contract_id > 0 && row.state !== 'overwritten' && (
            <Suspense fallback={null}>
              <ServicePart order={row} onChanged={() => void order.refetch()} />
            </Suspense>
          )}
          {!isEditing && row.contract_id > 0 && (
            <ContractHistory {...history} onRetry={() => void history.refetch()} currentId={row.contract_id} />
          )}
        </>
      )}
      <Dialogs
        dialog={dialog}
        order={order}
        timeZone={prices.zone}
        editorProps={editorProps}
        onClose={close}
        onChanged={refresh}
        onEdit={() => {
          close()
          setEditing(true)
        }}
      />
    </Page>
  )
}
