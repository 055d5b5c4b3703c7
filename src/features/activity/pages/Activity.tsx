import { Page } from '#ui/Page.tsx'
import { useWords } from '#ui/words.ts'
import { Requests } from '#features/activity/components/Requests.tsx'
import { VerifyProblem, VerifyTrail } from '#features/activity/components/VerifyTrail.tsx'

/** Long requests, with progress and result. */
export function Activity() {
  const t = useWords('activity')
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow" action={<VerifyTrail kind="primary" />}>
      <VerifyProblem />
      <section className="card">
        <Requests />
      </section>
    </Page>
  )
}
