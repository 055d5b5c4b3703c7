import { type ComponentType, useCallback, useMemo, useState } from 'react'
import type { ServiceRow } from '#contract/services.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/use-store.ts'
import { useLiveChanges } from '#state/live-changes.ts'
import type { CompanyFrame } from '#patterns/list-page/company-frame.ts'
import { ListPage } from '#patterns/list-page/ListPage.tsx'
import { useListPage } from '#patterns/list-page/useListPage.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { useToday } from '#ui/page/use-today.ts'
import { Button } from '#ui/display/Button.tsx'
import { useMedia } from '#ui/display/useMedia.ts'
import type { RowAction } from '#ui/list/column.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { useTranslation } from 'react-i18next'
import { AddressDialog } from '#features/services/AddressFacts.tsx'
import { buildServiceColumns } from '#features/services/list/columns.tsx'
import { useRecheckTool } from '#features/services/list/useRecheckTool.ts'
import { useServiceJobs } from '#features/services/operations/jobs.ts'
import { useServiceActions } from '#features/services/operations/useServiceActions.tsx'
import { ServiceStyles } from '#features/services/ServiceStyles.tsx'
import { refreshServices, servicesList } from '#features/services/slice.ts'
import { serviceGroups, type ServicesView, servicesView, systemStatuses } from '#features/services/view.ts'

/** Filter by customer. The orders feature implements it, and the app passes it. A null `companyId` means all customers. */
export type ServiceCompanyFilter = ComponentType<{ companyId: number | null; onChoose: (id: number | null) => void }>

type ServiceListRow = OverlaidRow<ServiceRow>

interface ServiceListPageProps {
  CompanyFilter?: ServiceCompanyFilter
  /** Shows the services of one company, as a tab of its page. */
  frame?: CompanyFrame
}

/** Lists the hosted services of all customers, for the provider's admins (contracts 2, M111). */
export function ServiceListPage({ CompanyFilter, frame }: ServiceListPageProps) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const today = useToday(useSettings()?.time_zone)
  const fixedView = { ...(frame ? { company: frame.companyId } : {}), today }
  const list = useListPage(servicesList, servicesView, { scope: null, extra: fixedView, isFramed: Boolean(frame) })
  const { changeView } = list
  const view = { ...list.view, ...fixedView }
  const viewJson = JSON.stringify(view)
  const refresh = useCallback(
    () => void dispatch(refreshServices(JSON.parse(viewJson) as ServicesView & { today: string })),
    [dispatch, viewJson],
  )
  useLiveChanges('services', refresh)
  const recheckTool = useRecheckTool(view.company, refresh)
  // A list of all companies is not named after one.
  const selectedCompanyCode = view.company === null ? null : (list.rows?.[0]?.row.company_code ?? null)
  const isPhone = useMedia('(width < 48rem)')
  const jobs = useServiceJobs()
  const serviceActions = useServiceActions({ jobs, logPath: ({ id }) => `/app/service/${id}/log`, onDone: refresh })
  const [addressRow, setAddressRow] = useState<ServiceRow | null>(null)
  const hasCompany = view.company === null
  const columns = useMemo(() => buildServiceColumns(t, hasCompany), [t, hasCompany])
  const listRowActions = ({ row }: ServiceListRow): RowAction<ServiceListRow>[] =>
    serviceActions
      .listMenuItems(row)
      .map(({ key, label, icon = 'more', isDestructive = false, hasDialog = false, disabledReason, onSelect }) => ({
        key,
        label,
        icon,
        isDestructive,
        hasDialog,
        ...(key === 'reset' && !isPhone ? { directButton: 'icon' } : {}),
        getDisabledReason: () => disabledReason ?? null,
        onSelect,
      }))
  return (
    <ListPage
      list={list}
      {...(frame ? { title: frame.title, crumbs: frame.crumbs } : { title: t('title'), intro: t('lead') })}
      tools={[{ key: 'refresh', label: t('refresh'), icon: 'refresh', onSelect: list.refetch }, recheckTool]}
      beforeFilters={
        <>
          <ServiceStyles />
          {frame?.tabs}
        </>
      }
      exportAs={{ name: t('title'), companyCode: frame?.companyCode ?? selectedCompanyCode }}
      searchLabel={t('filter.search')}
      extraFilters={
        CompanyFilter && <CompanyFilter companyId={view.company} onChoose={(company) => changeView({ company })} />
      }
      filters={[
        {
          name: 'show',
          label: t('filter.show'),
          allLabel: t('filter.all'),
          choices: serviceGroups.map((value) => ({ value, label: t(`filter.${value}`) })),
        },
        {
          name: 'status',
          label: t('filter.status'),
          allLabel: t('filter.all'),
          choices: systemStatuses.map((value) => ({ value, label: t(`status.${value as 0}`) })),
        },
      ]}
      listClass="service-list"
      caption={t('caption')}
      formatCount={(numbers) => t('counted', numbers)}
      columns={columns}
      getRowName={({ row }) => row.code}
      getRowPath={({ row }) => `/app/service/${row.id}`}
      renderExtra={({ row }) =>
        row.system_status > 0 && (
          <Button kind="plain" icon="info" isIconOnly onClick={() => setAddressRow(row)}>
            {t('info.open', { code: row.code })}
          </Button>
        )
      }
      actions={listRowActions}
      expectedActions="beside"
      empty={{
        notHere: { title: t('empty.notHere'), text: t('empty.notHereText') },
        noneFound: { title: t('empty.noneFound'), text: t('empty.noneFoundText'), showAll: t('empty.showAll') },
        none: (
          <EmptyState icon="service" title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        ),
      }}
    >
      {addressRow && <AddressDialog row={addressRow} onClose={() => setAddressRow(null)} />}
      {serviceActions.dialog}
    </ListPage>
  )
}
