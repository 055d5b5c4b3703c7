/** The users' page with what the accounts know of each: a feature sees no other one. */
import { type ComponentType, lazy } from 'react'
import { Users } from '#features/users/list/UsersPage.tsx'

/** Without a line there is nothing to end or to reset, and its code cannot be fetched either. */
const Beside = lazy<ComponentType<{ id: number; name: string }>>(() =>
  import(/* chunk: online */ '#app/pages/UserSidePanels.tsx').then(
    ({ BesideUser: Drawn }) => ({ default: Drawn }),
    () => ({ default: () => null }),
  ),
)

export const OwnUsers = () => <Users Beside={Beside} />
