import '#features/orders/words.ts'
import type { TrailCompanyFilter } from '#features/audit-trail/list/useTrailFilters.tsx'
import { CompanyPicker } from '#features/orders/wizard/fields/CompanyPicker.tsx'
import { useSignedInSession } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'

/** Selects the company of the trail. An empty selection means the user's company. */
export const TrailCompany: TrailCompanyFilter = ({ companyId, onChoose }) => {
  const { t } = useTranslation('audit')
  const { user } = useSignedInSession()
  return (
    <CompanyPicker
      label={t('filter.company')}
      placeholder={user.company_name}
      noneLabel={user.company_name}
      companyId={companyId}
      onChoose={(id) => onChoose(id === user.company_id ? null : id)}
    />
  )
}
