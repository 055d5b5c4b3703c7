import { createOptionalPart } from '#app/pages/create-optional-part.tsx'
import { EndSessionsSection } from '#features/users/EndSessionsSection.tsx'
import { ColleagueFactors } from '#features/accounts/components/ColleagueFactors.tsx'
import { useSignedInSession } from '#state/use-store.ts'

/** Entries about the user, under every name: they have the e-mail in common, as the link "History" of the drawer. */
const UserActivity = createOptionalPart<{ email: string }>(async () => {
  const { RecentEntries } = await import(/* chunk: trail */ '#features/audit-trail/entry/RecentEntries.tsx')
  return ({ email }) => {
    const { caller } = useSignedInSession()
    return <RecentEntries code="user" name={email} companyId={caller.companyId} refreshKey={email} isInDrawer />
  }
})

export const UserSidePanels = ({ email, ...user }: { id: number; name: string; email: string }) => (
  <>
    <EndSessionsSection {...user} />
    <ColleagueFactors {...user} />
    <UserActivity email={email} />
  </>
)
