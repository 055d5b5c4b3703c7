import { getSettings } from '#contract/accounts.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { type CustomerOrderRow, listCustomerOrders } from '#contract/staff/customers.ts'
import { createListSlice, type PageQuery } from '#state/list-slice.ts'
import { useList } from '#state/use-list.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { combineStates, getKnownState, type HomeDuty, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useToday } from '#ui/page/use-today.ts'
import { useTranslation } from 'react-i18next'
import '#features/orders/words.ts'
import { getDuePath, listDueItems } from '#features/orders/dues/due-items.ts'
import { toPayDuty } from '#features/orders/home/OrderReport.tsx'
import { useDueFormatter } from '#features/orders/useDueFormatter.ts'

const customerDuesSlice = createListSlice<CustomerOrderRow, PageQuery>({
  name: 'customerDues',
  endpoint: listCustomerOrders,
  toQuery: (query) => query,
})

/** The contracts of one page, the oldest first. All of them are on the page that the report links to. */
const firstDuesView = { status: 0, page: 1, results: 50, sortField: 'create_time', sortOrder: 'asc' } as const

/** Reports to the provider's staff what customers have to pay: what, who, how much and until when (D53). */
export function CustomerDueReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('orders')
  const formatDue = useDueFormatter()
  const { companyId: ownCompanyId } = useSignedInSession().caller
  const { record: settings, problem, refetch: refetchSettings } = useRecord(getSettings, {})
  const today = useToday(settings?.time_zone)
  const list = useList(customerDuesSlice, { scope: null, view: firstDuesView })
  const rows = (list.rows ?? []).map(({ row }) => row).filter(({ company_id: id }) => id !== ownCompanyId)
  const companyNames = new Map<RowRef, string>(rows.map(({ id, company_name: name }) => [id, name]))
  const buildDuty = (item: ReturnType<typeof listDueItems>[number]): HomeDuty => {
    const duty = toPayDuty(t, formatDue, item, { label: t('home.open'), path: getDuePath(item) })
    return { ...duty, isMain: false, text: [companyNames.get(item.row.id), duty.text].filter(Boolean).join(' · ') }
  }
  // Days are computed in the business time zone (D31), so without it nothing is shown as due.
  const zoneState = settings ? 'known' : problem ? 'unknown' : 'loading'
  const state = combineStates([zoneState, getKnownState(list.freshness)])
  const duties = settings ? listDueItems(rows, today).map(buildDuty) : []
  useReport(
    {
      source: 'customerDues',
      moreLink: duties.length > 0 ? { label: t('home.allDues'), path: '/app/contract?status=0' } : null,
      state,
      duties,
      figures: {},
    },
    onReport,
  )
  const refetch = () => {
    void refetchSettings()
    list.refetch()
  }
  return <LoadProblem problem={state === 'known' ? null : (problem ?? list.problem)} onRetry={refetch} />
}
