-- A function that runs with its owner's rights must not find a caller's temporary table before the real one.
DO $$
DECLARE f record;
BEGIN
  FOR f IN
    SELECT oid::regprocedure AS name FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prosecdef AND 'search_path=public' = ANY(proconfig)
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = public, pg_temp', f.name);
  END LOOP;
END $$;
