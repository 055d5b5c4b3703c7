/** Pages of the public site, outside the portal: plain links (portal 2). */
export const policies = [
  { name: 'use', href: '/acceptable-use.html' },
  { name: 'api', href: '/api-policy.html' },
  { name: 'terms', href: '/terms.html' },
  { name: 'privacy', href: '/privacy.html' },
] as const
