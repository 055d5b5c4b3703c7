import { lazy, type ReactNode, useRef, useState } from 'react'
import type { TFunction } from 'i18next'
import type { OrderRow } from '#contract/orders.ts'
import type { CompanyFrame } from '#patterns/list-page/company-frame.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { findContractState, getContractRefusal } from '#domain/contracts.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
import { useTranslation } from 'react-i18next'
import { buildColumns } from '#features/orders/list/columns.tsx'
import { CreateOrderButton } from '#features/orders/list/CreateOrderButton.tsx'
import type { OrdersDialogState } from '#features/orders/list/OrdersDialog.tsx'
import { OrderTabs } from '#features/orders/list/OrderTabs.tsx'
import { useStaffTools } from '#features/orders/list/useStaffTools.ts'
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
export function ContractsPage({ frame = null }: { frame?: CompanyFrame | null }) {
  const { t } = useTranslation('orders')
  const { user } = useSignedInSession()
  const orders = useOrdersList(frame?.companyId ?? null)
  const { list, type, today, undated, tab, hasPriceList, canSelectCompany, companyId, otherCompanyId, companyName } =
    orders
  const disabledReason = useOrderBlockedReason(type, hasPriceList)
  const isAll = companyId === null
  const picker = useRef<HTMLInputElement>(null)
  const [dialog, setDialog] = useState<OrdersDialogState | null>(null)
  const formatDue = useDueFormatter()
  const actions = useActions(setDialog, disabledReason, isAll)
  const createButton = <CreateOrderButton disabledReason={disabledReason} companyId={otherCompanyId} />
  const { view, changeView, definition } = list
  const isToPay = tab === 'pay' && !isAll
  const companyCode = getExportCompany(frame, companyId, user)
  const refetch = () => (isToPay ? toPay.list.refetch() : list.refetch())
  const toPay = useToPayList({
    companyId: companyId ?? user.company_id,
    type,
    today,
    undated,
    pageList: { definition, view, changeView },
    onOpenDialog: setDialog,
    skip: !isToPay,
  })
  const tools = useListTools({
    type,
    companyId,
    isStaff: orders.isStaff,
    onCalendar: () => setDialog({ kind: 'calendar' }),
    onOwn: () => changeView({ company: user.company_id }),
    onChoose: () => picker.current?.focus(),
  })
  const pageProps = {
    ...getHead(frame, t('title'), isAll ? t('leadAll') : t('lead', { company: companyName })),
    action: createButton,
    tools: frame ? [] : tools,
    beforeFilters: (
      <>
        <OrderStyles />
        {frame?.tabs}
        <OrderTabs {...{ companyId, type, view, today }} />
      </>
    ),
    searchLabel: t('filter.search'),
    extraFilters: canSelectCompany && (
      <CompanyPicker
        ref={picker}
        label={t('companies.label')}
        placeholder={t('companies.any')}
        noneLabel={t('companies.any')}
        companyId={view.company}
        onChoose={(id) => changeView({ company: id })}
      />
    ),
    refreshLabel: t('refresh'),
    listClass: 'order-list',
    children: dialog && <OrdersDialog dialog={dialog} onClose={() => setDialog(null)} onChanged={refetch} />,
  }
  const { notHere, noneFound } = getEmptyTexts(t)
  if (isToPay)
    return (
      <ListPage
        {...pageProps}
        {...toPay}
        exportAs={{ name: t('toPay.caption'), companyCode }}
        empty={{ notHere, none: toPay.none, ...(view.searchText.trim() === '' ? {} : { noneFound }) }}
      />
    )
  return (
    <ListPage
      {...pageProps}
      list={list}
      exportAs={{ name: t('title'), companyCode }}
      chips={tab === 'all' ? toStatusChips(t, view.status, () => changeView({ status: null })) : []}
      caption={isAll ? t('captionAll') : t('caption', { company: companyName })}
      formatCount={(numbers) => t('counted', numbers)}
      columns={buildColumns(t, formatDue, today, { hasCompany: isAll, isNarrow: list.isGrowing })}
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
      expectedActions="own"
      empty={{ notHere, noneFound, none: <NoContracts action={createButton} /> }}
    />
  )
}

function NoContracts({ action }: { action: ReactNode }) {
  const { t } = useTranslation('orders')
  return (
    <EmptyState icon="contract" title={t('empty.title')} action={action}>
      {t('empty.text')}
    </EmptyState>
  )
}

const getEmptyTexts = (t: TFunction<'orders'>) => ({
  noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.dropAll') },
  notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
})

/** The page knows only the codes of the user's company and of a framed one. */
const getExportCompany = (
  frame: CompanyFrame | null,
  companyId: number | null,
  user: { company_id: number; company_code: string },
): string | null => frame?.companyCode ?? (companyId === user.company_id ? user.company_code : null)

const getHead = (frame: CompanyFrame | null, title: string, intro: string) =>
  frame ? { title: frame.title, crumbs: frame.crumbs } : { title, intro }

/** A status without a tab is a filter that no other control shows. */
function toStatusChips(t: TFunction<'orders'>, status: OrderRow['status'] | null, onClear: () => void) {
  const statusName = status === null ? undefined : findContractState(status, 'order')
  return statusName ? [{ key: 'status', label: `${t('filter.status')}: ${t(`status.${statusName}`)}`, onClear }] : []
}

type ListToolsOptions = Parameters<typeof useStaffTools>[0] & { isStaff: boolean; onCalendar: () => void }

function useListTools({ isStaff, onCalendar, ...staffOptions }: ListToolsOptions): PageTool[] {
  const { t } = useTranslation('orders')
  const calendarTool: PageTool = {
    key: 'calendar',
    label: t('calendar.open'),
    icon: 'calendar',
    hasDialog: true,
    disabledReason: useOfflineReason(t('reason.offline')),
    onSelect: onCalendar,
  }
  const staffTools = useStaffTools(staffOptions)
  return isStaff ? [calendarTool, staffTools] : [calendarTool]
}
