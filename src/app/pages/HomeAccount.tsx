/** Account security on the home page. Only useful online. */
import { useTranslation } from 'react-i18next'
import { TwoStepReport } from '#features/accounts/home/TwoStepReport.tsx'
import { RecentSignIns } from '#features/sessions/home/RecentSignIns.tsx'

export function HomeAccount() {
  const { t } = useTranslation('home')
  return (
    <section className="card home-card" aria-labelledby="home-account">
      <h2 id="home-account">{t('account')}</h2>
      <TwoStepReport />
      <RecentSignIns />
    </section>
  )
}
