/**
 * Prints a new link for the provider's first administrator and makes the former link invalid: `node server/cli/create-admin-link.ts` with
 * the environment of the server. An embedded database must not be in use.
 */
import '#server/config/private-files.ts'
import { hostname } from 'node:os'
import { withApp } from '#server/cli/with-app.ts'
import { replaceFirstAdminLink } from '#server/composition/first-admin.ts'
import { StartProblem } from '#server/config/config.ts'

await withApp(async (app) => {
  const link = await replaceFirstAdminLink(app, hostname())
  if (link === null)
    throw new StartProblem(
      "The provider has an active administrator: request a new password on the portal's login page, or let another administrator invite you.",
    )
  console.log('Open this link within 72 hours to set the password of the first administrator. It works once:')
  console.log(link)
})
