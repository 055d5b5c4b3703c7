-- Creates the roles and databases of the portal (docs/operating.md, "PostgreSQL"). Run it once, as a superuser:
--
--   psql --variable owner_password=... --variable login_password=... --variable copies_password=... --file deploy/postgres-roles.sql
--
-- Without these variables it reads the passwords from the secrets of compose.yaml.
\set ON_ERROR_STOP on
\if :{?owner_password}
\else
  \set owner_password `cat /run/secrets/portal_owner_password`
  \set login_password `cat /run/secrets/portal_login_password`
  \set copies_password `cat /run/secrets/portal_copies_password`
\endif

create role portal_app nologin noinherit;
create role portal_system nologin noinherit;
create role portal_owner login password :'owner_password';
create role portal_login login noinherit password :'login_password';
grant portal_app, portal_system to portal_owner, portal_login;
create database portal owner portal_owner;

-- The second database, for copies of services (BACKUP_DATABASE_URL). It is better on another server: here it is lost together with the first.
create role portal_copies login password :'copies_password';
create database portal_copies owner portal_copies;
revoke connect on database portal, portal_copies from public;
grant connect on database portal to portal_owner, portal_login;
grant connect on database portal_copies to portal_copies;

\connect portal
alter schema public owner to portal_owner;
