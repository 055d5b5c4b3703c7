import type { ComponentType } from 'react'
import { isProviderAdmin } from '#domain/access.ts'
import type { SelectFilter } from '#patterns/list-page/ListFilters.tsx'
import { useSignedInSession } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { DateMenu } from '#features/audit-trail/list/DateMenu.tsx'
import { PersonPicker } from '#features/audit-trail/list/PersonPicker.tsx'
import { listMenus, type TrailView } from '#features/audit-trail/list/trail-view.ts'
import type { TrailList } from '#features/audit-trail/list/useTrailList.ts'

/** Lets the provider's staff find a customer by name. The app passes it, because it belongs to the orders. */
export type TrailCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

/**
 * Returns search and filters (contracts 2, M131, M132) as props of `<ListPage>`. An operation can be in the address only, from a link, and is
 * shown as a chip.
 */
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
    extraFilters: <DateMenu range={view} onChange={changeView} />,
    lastFilters: (
      <>
        <PersonPicker
          person={view.user}
          companyId={view.company}
          rows={rows}
          onChoose={(user) => changeView({ user })}
        />
        {CompanyFilter && isProviderAdmin(caller) && (
          <div className="trail-company">
            <CompanyFilter companyId={view.company} onChoose={(company) => changeView({ company, user: null })} />
          </div>
        )}
      </>
    ),
    chips: [
      ...(view.operation === null
        ? []
        : [
            {
              key: 'operation',
              label: t('filter.chipOperation', { operation: t(`operation.${view.operation}`) }),
              onClear: () => changeView({ operation: null }),
            },
          ]),
      ...(view.intent === null
        ? []
        : [
            {
              key: 'intent',
              label: t('filter.chipIntent', { intent: view.intent.slice(0, 8) }),
              onClear: () => changeView({ intent: null }),
            },
          ]),
    ],
  }
}
