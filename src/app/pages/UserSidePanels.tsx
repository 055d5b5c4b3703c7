import { EndSessionsSection } from '#features/users/EndSessionsSection.tsx'
import { ColleagueFactors } from '#features/accounts/components/ColleagueFactors.tsx'

/** What an admin looks after of a colleague beside the form, at once and with a line: where and how they are logged in. */
export const UserSidePanels = (user: { id: number; name: string }) => (
  <>
    <EndSessionsSection {...user} />
    <ColleagueFactors {...user} />
  </>
)
