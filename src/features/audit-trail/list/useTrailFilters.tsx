import type { ComponentType } from 'react'
import { isProviderAdmin } from '#domain/access.ts'
import { auditOperations } from '#domain/audit-log/leaf.ts'
import type { SelectFilter } from '#patterns/list-page/ListFilters.tsx'
import { useSignedInSession } from '#state/use-store.ts'
import { DateRange } from '#ui/form/DateRange.tsx'
import { useTranslation } from 'react-i18next'
import { PersonPicker } from '#features/audit-trail/list/PersonPicker.tsx'
import { listMenus, type TrailView } from '#features/audit-trail/list/trail-view.ts'
import type { TrailList } from '#features/audit-trail/list/useTrailList.ts'

/** Lets the provider's staff find a customer by name. The app passes it, because it belongs to the orders. */
export type TrailCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

/** Returns search and filters (contracts 2, M131, M132) as props of `<ListPage>`. */
export function useTrailFilters(
  { view, rows = [], changeView }: TrailList,
  CompanyFilter: TrailCompanyFilter | undefined,
) {
  const { t } = useTranslation('audit')
  const { caller } = useSignedInSession()
  const allLabel = t('filter.all')
  const filters: SelectFilter<TrailView>[] = [
    {
      name: 'code',
      label: t('filter.type'),
      allLabel,
      choices: listMenus(caller).map((menu) => ({ value: menu, label: t(`type.${menu}`) })),
    },
    {
      name: 'operation',
      label: t('filter.operation'),
      allLabel,
      choices: auditOperations.map((operation) => ({ value: operation, label: t(`operation.${operation}`) })),
    },
    {
      name: 'status',
      label: t('filter.status'),
      allLabel,
      choices: [
        { value: 0, label: t('status.done') },
        { value: -1, label: t('status.failed') },
      ],
    },
  ]
  return {
    searchLabel: t('filter.search'),
    filters,
    extraFilters: CompanyFilter && isProviderAdmin(caller) && (
      <CompanyFilter companyId={view.company} onChoose={(company) => changeView({ company, user: null })} />
    ),
    lastFilters: (
      <>
        <div className="trail-range">
          <DateRange
            range={{ from: view.dateFrom ?? '', to: view.dateTo ?? '' }}
            names={{ from: 'dateFrom', to: 'dateTo' }}
            labels={{ from: t('filter.from'), to: t('filter.to') }}
            onChange={(range) => range && changeView({ dateFrom: range.from || null, dateTo: range.to || null })}
          />
        </div>
        <PersonPicker
          person={view.user}
          companyId={view.company}
          rows={rows}
          onChoose={(user) => changeView({ user })}
        />
      </>
    ),
    chips:
      view.intent === null
        ? []
        : [
            {
              key: 'intent',
              label: t('filter.chipIntent', { intent: view.intent.slice(0, 8) }),
              onClear: () => changeView({ intent: null }),
            },
          ],
  }
}
